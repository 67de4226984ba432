// SPDX-License-Identifier: Apache-2.0
// What host programs of CUDA call, and what the machine does not have: refused by name.
#pragma once

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
using cudaError_t = int;
using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
inline constexpr cudaError_t cudaSuccess = 0;

#define SPICA_CUDA_REFUSED(name, reason) \
  template <class... Arguments>          \
  int name(Arguments&&...) __attribute__((unavailable(reason)))
#define SPICA_CUDA_MEMORY                                                                                        \
  "there is no host program; memory is filled and read by `spica run --load FILE@ADDRESS --save FILE@ADDRESS`, " \
  "or by inputs and outputs of spica.run() in Python"
#define SPICA_CUDA_LAUNCH                                                                                         \
  "there is no host program; kernels are started by `spica run MACHINE X.elf --kernel NAME --grid X --block X`, " \
  "several in streams by `spica stream`, or by spica.run(grid=, block=) in Python"
SPICA_CUDA_REFUSED(cudaMalloc, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMallocManaged, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMallocHost, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMallocPitch, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMallocArray, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaHostAlloc, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaFree, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaFreeHost, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpy, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpyAsync, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpy2D, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpyToSymbol, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpyFromSymbol, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaGetSymbolAddress, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemset, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemsetAsync, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMalloc3D, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMallocAsync, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaFreeAsync, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaFreeArray, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaHostRegister, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaHostUnregister, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaHostGetDevicePointer, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpy2DAsync, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpy3D, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpyToArray, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpyPeer, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpyToSymbolAsync, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemcpyFromSymbolAsync, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaGetSymbolSize, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemset2D, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemPrefetchAsync, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemAdvise, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaMemGetInfo, SPICA_CUDA_MEMORY);
SPICA_CUDA_REFUSED(cudaLaunchKernel, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaLaunchCooperativeKernel, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaDeviceSynchronize, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaThreadSynchronize, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaDeviceReset, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaSetDevice, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaGetDevice, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaGetDeviceCount, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaGetDeviceProperties, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaGetLastError, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaPeekAtLastError, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaGetErrorString, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaFuncSetAttribute, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaFuncSetCacheConfig, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamCreate, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamCreateWithFlags, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamDestroy, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamSynchronize, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamWaitEvent, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaEventCreate, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaEventRecord, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaEventSynchronize, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaEventElapsedTime, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaEventDestroy, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaFuncGetAttributes, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaFuncSetSharedMemConfig, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaOccupancyMaxActiveBlocksPerMultiprocessor, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaOccupancyMaxPotentialBlockSize, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaDeviceGetAttribute, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaDeviceSetCacheConfig, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaDeviceSetLimit, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaDeviceSetSharedMemConfig, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaDeviceCanAccessPeer, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaDeviceEnablePeerAccess, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaGetErrorName, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaDriverGetVersion, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaRuntimeGetVersion, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamCreateWithPriority, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamQuery, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamAddCallback, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamBeginCapture, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaStreamEndCapture, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaLaunchHostFunc, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaGraphCreate, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaGraphInstantiate, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaGraphLaunch, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaEventCreateWithFlags, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaEventQuery, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaProfilerStart, SPICA_CUDA_LAUNCH);
SPICA_CUDA_REFUSED(cudaProfilerStop, SPICA_CUDA_LAUNCH);
struct __attribute__((unavailable(SPICA_CUDA_LAUNCH))) cudaDeviceProp {};
struct __attribute__((unavailable(SPICA_CUDA_LAUNCH))) cudaFuncAttributes {};

// Textures and surfaces.
#define SPICA_CUDA_TEXTURE "the machine has no texture units: read the array through a pointer"
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
template <class T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((unavailable(SPICA_CUDA_TEXTURE))) texture {};
template <class T, int dimensions = 1>
struct __attribute__((unavailable(SPICA_CUDA_TEXTURE))) surface {};
using cudaTextureObject_t __attribute__((unavailable(SPICA_CUDA_TEXTURE))) = unsigned long long;
using cudaSurfaceObject_t __attribute__((unavailable(SPICA_CUDA_TEXTURE))) = unsigned long long;
#define SPICA_CUDA_TEXTURE_READ(name)           \
  template <class T = void, class... Arguments> \
  T name(Arguments&&...) __attribute__((unavailable(SPICA_CUDA_TEXTURE)))
SPICA_CUDA_REFUSED(cudaBindTexture, SPICA_CUDA_TEXTURE);
SPICA_CUDA_REFUSED(cudaBindTexture2D, SPICA_CUDA_TEXTURE);
SPICA_CUDA_REFUSED(cudaBindTextureToArray, SPICA_CUDA_TEXTURE);
SPICA_CUDA_REFUSED(cudaUnbindTexture, SPICA_CUDA_TEXTURE);
SPICA_CUDA_REFUSED(cudaCreateTextureObject, SPICA_CUDA_TEXTURE);
SPICA_CUDA_REFUSED(cudaCreateSurfaceObject, SPICA_CUDA_TEXTURE);
SPICA_CUDA_TEXTURE_READ(tex1Dfetch);
SPICA_CUDA_TEXTURE_READ(tex1D);
SPICA_CUDA_TEXTURE_READ(tex2D);
SPICA_CUDA_TEXTURE_READ(tex3D);
SPICA_CUDA_TEXTURE_READ(tex2DLod);
SPICA_CUDA_TEXTURE_READ(tex2DLayered);
SPICA_CUDA_TEXTURE_READ(texCubemap);
SPICA_CUDA_TEXTURE_READ(surf1Dread);
SPICA_CUDA_TEXTURE_READ(surf1Dwrite);
SPICA_CUDA_TEXTURE_READ(surf2Dread);
SPICA_CUDA_TEXTURE_READ(surf2Dwrite);
#undef SPICA_CUDA_TEXTURE_READ
#undef SPICA_CUDA_REFUSED
