// peal/point_to_point.hpp
// Ranks and messages without collectives: compiles in less than half the time of peal/peal.hpp.
//
//     peal::environment env{argc, argv};
//     const peal::basic_communicator& world = env.basic_world();
//     world.send(std::vector{1, 2, 3}, 1);
//
// Every communicator is a basic_communicator, so files of one program may include this or all of
// peal.
//
// Errors   as of what is included.
#pragma once

#include <peal/basic_communicator.hpp>
#include <peal/buffer.hpp>
#include <peal/datatype.hpp>
#include <peal/detail/environment.hpp>
#include <peal/error.hpp>
#include <peal/grow.hpp>
#include <peal/message.hpp>
#include <peal/request.hpp>
#include <peal/serialization.hpp>
#include <peal/status.hpp>
#include <peal/tag.hpp>
#include <peal/version.hpp>
#include <peal/wait.hpp>
#include <peal/when.hpp>
