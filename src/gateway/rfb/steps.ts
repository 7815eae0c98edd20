export type Step =
  /** Reads exactly this many bytes, at least 1. Continues with undefined if the stream ends first. */
  | { readonly read: number }
  | { readonly write: Uint8Array }
  /** Needs the response to a challenge of VNC Authentication. Continues with undefined if there is no password. */
  | { readonly challenge: Uint8Array }

/** One side of an RFB handshake as straight-line code, without I/O: `run-handshake.ts` carries out its steps. */
export type Handshake<A> = Generator<Step, A, Uint8Array | undefined>

export function* read(bytes: number): Handshake<Buffer | undefined> {
  const taken = yield { read: bytes }
  return taken && Buffer.from(taken.buffer, taken.byteOffset, taken.byteLength)
}

export function* readByte(): Handshake<number | undefined> {
  return (yield* read(1))?.[0]
}

/** An unsigned 32-bit number; the byte order of RFB is big-endian. */
export function* readNumber(): Handshake<number | undefined> {
  return (yield* read(4))?.readUInt32BE()
}

export function* write(bytes: Uint8Array): Handshake<void> {
  yield { write: bytes }
}

export const numberBytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
