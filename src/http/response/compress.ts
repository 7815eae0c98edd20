import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { makeTurns } from '../../concurrency/turns.ts'
import type { Coding, Compressed } from '../protocol/coding.ts'

/** Compression in the threads of libuv, off the main thread. */

/** Of four threads, which also hash passwords and read files. */
const THREADS_MAX = 2
/** Each piece of the output takes a turn of the main thread. */
const OPTIONS = { chunkSize: 65_536 }

const CODERS = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }

const turns = makeTurns({ limit: THREADS_MAX })

export const compress = async (body: string | Uint8Array, coding: Coding): Promise<Uint8Array> => {
  await turns.acquire('')
  try {
    return await CODERS[coding](body, OPTIONS)
  } finally {
    turns.release('')
  }
}

export const compressAll = async (body: string | Uint8Array): Promise<Compressed> => ({
  zstd: await compress(body, 'zstd'),
  gzip: await compress(body, 'gzip'),
})
