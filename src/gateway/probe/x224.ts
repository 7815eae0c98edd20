import { type Handshake, read, readByte, write } from '../rfb/steps.ts'

/** TPKT (RFC 1006): version 3, a reserved byte, and the length of the packet with these four bytes. */
const TPKT_BYTES = 4
const TPKT_VERSION = 3

/** A Connection Request (X.224, 13.3): its length, its code, two references and the class. */
const REQUEST = [14, 0xe0, 0, 0, 0, 0, 0]
/**
 * RDP's negotiation request for TLS or CredSSP ([MS-RDPBCGR], 2.2.1.1.1). Servers that require one of them may close
 * the connection without it.
 */
const NEGOTIATION = [1, 0, 8, 0, 3, 0, 0, 0]
const LENGTH = TPKT_BYTES + REQUEST.length + NEGOTIATION.length
const CONNECTION_REQUEST = Uint8Array.of(TPKT_VERSION, 0, 0, LENGTH, ...REQUEST, ...NEGOTIATION)

/** A Connection Confirm has at least seven bytes. Its code is in the upper half of the second. */
const CONFIRM_BYTES = 7
const CONFIRM = 0xd0
/** Maximum bytes of a packet: no confirmation is longer. */
const PACKET_MAX = 512

/** Requests an RDP connection. Returns whether the server confirms it, whatever protocol it selects. */
export function* requestConnection(): Handshake<boolean> {
  yield* write(CONNECTION_REQUEST)
  // By itself: what is shorter than a packet is something else.
  if ((yield* readByte()) !== TPKT_VERSION) return false
  const head = yield* read(TPKT_BYTES - 1)
  if (head === undefined) return false
  const length = head.readUInt16BE(1) - TPKT_BYTES
  if (length < CONFIRM_BYTES || length > PACKET_MAX) return false
  const packet = yield* read(length)
  return packet !== undefined && ((packet[1] as number) & 0xf0) === CONFIRM
}
