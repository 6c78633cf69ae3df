from .profile import profile_dask as profile_dask
