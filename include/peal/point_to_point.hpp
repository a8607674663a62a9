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
#include <peal/data/buffer.hpp>
#include <peal/data/datatype.hpp>
#include <peal/data/grow.hpp>
#include <peal/data/serialization.hpp>
#include <peal/detail/environment.hpp>
#include <peal/error.hpp>
#include <peal/message.hpp>
#include <peal/requests/request.hpp>
#include <peal/requests/wait.hpp>
#include <peal/requests/when.hpp>
#include <peal/status.hpp>
#include <peal/tag.hpp>
#include <peal/version.hpp>
