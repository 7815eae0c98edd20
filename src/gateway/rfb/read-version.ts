import { type Handshake, readByte } from './steps.ts'
import { isVersionByte, VERSION_BYTES } from './version.ts'

/**
 * A ProtocolVersion message. Undefined at the first byte that belongs to none: a peer that says something shorter is
 * not waited for.
 */
export function* readVersion(): Handshake<Buffer | undefined> {
  const version = Buffer.alloc(VERSION_BYTES)
  for (let index = 0; index < VERSION_BYTES; index++) {
    const byte = yield* readByte()
    if (byte === undefined || !isVersionByte(byte, index)) return undefined
    version[index] = byte
  }
  return version
}
