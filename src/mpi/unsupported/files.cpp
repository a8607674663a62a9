// Functions of mpi/files.h that peal does not have.
#include "mpi/unsupported/unsupported.hpp"

PEAL_MPI_UNSUPPORTED(File_close, MPI_File*)
PEAL_MPI_UNSUPPORTED(File_delete, const char*, MPI_Info)
PEAL_MPI_UNSUPPORTED(File_get_amode, MPI_File, int*)
PEAL_MPI_UNSUPPORTED(File_get_atomicity, MPI_File, int*)
PEAL_MPI_UNSUPPORTED(File_get_byte_offset, MPI_File, MPI_Offset, MPI_Offset*)
PEAL_MPI_UNSUPPORTED(File_get_group, MPI_File, MPI_Group*)
PEAL_MPI_UNSUPPORTED(File_get_info, MPI_File, MPI_Info*)
PEAL_MPI_UNSUPPORTED(File_get_position, MPI_File, MPI_Offset*)
PEAL_MPI_UNSUPPORTED(File_get_position_shared, MPI_File, MPI_Offset*)
PEAL_MPI_UNSUPPORTED(File_get_size, MPI_File, MPI_Offset*)
PEAL_MPI_UNSUPPORTED(File_get_type_extent, MPI_File, MPI_Datatype, MPI_Aint*)
PEAL_MPI_UNSUPPORTED(File_get_type_extent_c, MPI_File, MPI_Datatype, MPI_Count*)
PEAL_MPI_UNSUPPORTED(File_get_view, MPI_File, MPI_Offset*, MPI_Datatype*, MPI_Datatype*, char*)
PEAL_MPI_UNSUPPORTED(File_iread, MPI_File, void*, int, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iread_c, MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iread_all, MPI_File, void*, int, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iread_all_c, MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iread_at, MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iread_at_c, MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iread_at_all, MPI_File, MPI_Offset, void*, int, MPI_Datatype,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iread_at_all_c, MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iread_shared, MPI_File, void*, int, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iread_shared_c, MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite, MPI_File, const void*, int, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite_c, MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite_all, MPI_File, const void*, int, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite_all_c, MPI_File, const void*, MPI_Count, MPI_Datatype,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite_at, MPI_File, MPI_Offset, const void*, int, MPI_Datatype,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite_at_c, MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite_at_all, MPI_File, MPI_Offset, const void*, int, MPI_Datatype,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite_at_all_c, MPI_File, MPI_Offset, const void*, MPI_Count,
                     MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite_shared, MPI_File, const void*, int, MPI_Datatype, MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_iwrite_shared_c, MPI_File, const void*, MPI_Count, MPI_Datatype,
                     MPI_Request*)
PEAL_MPI_UNSUPPORTED(File_open, MPI_Comm, const char*, int, MPI_Info, MPI_File*)
PEAL_MPI_UNSUPPORTED(File_preallocate, MPI_File, MPI_Offset)
PEAL_MPI_UNSUPPORTED(File_read, MPI_File, void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_c, MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_all, MPI_File, void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_all_c, MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_all_begin, MPI_File, void*, int, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_read_all_begin_c, MPI_File, void*, MPI_Count, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_read_all_end, MPI_File, void*, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_at, MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_at_c, MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype,
                     MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_at_all, MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_at_all_c, MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype,
                     MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_at_all_begin, MPI_File, MPI_Offset, void*, int, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_read_at_all_begin_c, MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_read_at_all_end, MPI_File, void*, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_ordered, MPI_File, void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_ordered_c, MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_ordered_begin, MPI_File, void*, int, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_read_ordered_begin_c, MPI_File, void*, MPI_Count, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_read_ordered_end, MPI_File, void*, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_shared, MPI_File, void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_read_shared_c, MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_seek, MPI_File, MPI_Offset, int)
PEAL_MPI_UNSUPPORTED(File_seek_shared, MPI_File, MPI_Offset, int)
PEAL_MPI_UNSUPPORTED(File_set_atomicity, MPI_File, int)
PEAL_MPI_UNSUPPORTED(File_set_info, MPI_File, MPI_Info)
PEAL_MPI_UNSUPPORTED(File_set_size, MPI_File, MPI_Offset)
PEAL_MPI_UNSUPPORTED(File_set_view, MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char*,
                     MPI_Info)
PEAL_MPI_UNSUPPORTED(File_sync, MPI_File)
PEAL_MPI_UNSUPPORTED(File_write, MPI_File, const void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_c, MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_all, MPI_File, const void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_all_c, MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_all_begin, MPI_File, const void*, int, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_write_all_begin_c, MPI_File, const void*, MPI_Count, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_write_all_end, MPI_File, const void*, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_at, MPI_File, MPI_Offset, const void*, int, MPI_Datatype,
                     MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_at_c, MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype,
                     MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_at_all, MPI_File, MPI_Offset, const void*, int, MPI_Datatype,
                     MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_at_all_c, MPI_File, MPI_Offset, const void*, MPI_Count,
                     MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_at_all_begin, MPI_File, MPI_Offset, const void*, int, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_write_at_all_begin_c, MPI_File, MPI_Offset, const void*, MPI_Count,
                     MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_write_at_all_end, MPI_File, const void*, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_ordered, MPI_File, const void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_ordered_c, MPI_File, const void*, MPI_Count, MPI_Datatype,
                     MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_ordered_begin, MPI_File, const void*, int, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_write_ordered_begin_c, MPI_File, const void*, MPI_Count, MPI_Datatype)
PEAL_MPI_UNSUPPORTED(File_write_ordered_end, MPI_File, const void*, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_shared, MPI_File, const void*, int, MPI_Datatype, MPI_Status*)
PEAL_MPI_UNSUPPORTED(File_write_shared_c, MPI_File, const void*, MPI_Count, MPI_Datatype,
                     MPI_Status*)
PEAL_MPI_UNSUPPORTED(Register_datarep, const char*, MPI_Datarep_conversion_function*,
                     MPI_Datarep_conversion_function*, MPI_Datarep_extent_function*, void*)
PEAL_MPI_UNSUPPORTED(Register_datarep_c, const char*, MPI_Datarep_conversion_function_c*,
                     MPI_Datarep_conversion_function_c*, MPI_Datarep_extent_function*, void*)
