import { setImmediate as turn } from 'node:timers/promises'
import { respondToChallenge } from '../../../src/gateway/rfb/challenge.ts'
import { numberBytes } from '../../../src/gateway/rfb/steps.ts'
import type { Peer } from '../peers.ts'

export const PASSWORD = 'machine secret'
const CHALLENGE = Buffer.from('0123456789abcdef')
const SERVER_INIT = 'what a server says'

/** Sends whole messages, or a byte at a time. */
export type Send = (peer: Peer, bytes: Uint8Array | string) => Promise<void>
export const whole: Send = async ({ socket }, bytes) => {
  socket.write(bytes)
}
export const byteByByte: Send = async ({ socket }, bytes) => {
  for (const byte of Buffer.from(bytes)) {
    socket.write(Buffer.of(byte))
    await turn()
  }
}

export const line = (version: string): string => {
  const [major = '', minor = ''] = version.split('.')
  return `RFB ${major.padStart(3, '0')}.${minor.padStart(3, '0')}\n`
}

export interface SutScript {
  readonly version: string
  readonly types: readonly number[]
  readonly password?: string
  readonly reason?: string
  /** The reason for which it refuses also the right password, and the result. */
  readonly refusal?: string
  readonly result?: number
}

const withReason = (text: string): Buffer => Buffer.concat([numberBytes(text.length), Buffer.from(text)])

/** A VNC server, as RFC 6143 describes it. Returns what it was sent before the ClientInit. */
export const speakAsSut = async (peer: Peer, script: SutScript, send: Send = whole) => {
  const { version, types, password = PASSWORD, reason = 'no', refusal, result = 1 } = script
  peer.socket.once('end', () => peer.socket.end())
  await send(peer, line(version))
  const spoken = (await peer.take(12)).toString()
  const is33 = spoken === line('3.3')
  await send(peer, is33 ? numberBytes(types[0] ?? 0) : Uint8Array.of(types.length, ...types))
  if (types.length === 0) {
    await send(peer, withReason(reason))
    peer.socket.end()
    return { spoken, chosen: 0 }
  }
  const chosen = is33 ? types[0] : (await peer.take(1))[0]
  let isRight = true
  if (chosen === 2) {
    await send(peer, CHALLENGE)
    isRight = (await peer.take(16)).equals(respondToChallenge(password, CHALLENGE)) && refusal === undefined
  }
  if (chosen === 2 || spoken === line('3.8')) await send(peer, numberBytes(isRight ? 0 : result))
  if (!isRight && spoken === line('3.8')) await send(peer, withReason(refusal ?? 'wrong password'))
  if (!isRight) {
    peer.socket.end()
    return { spoken, chosen }
  }
  if ((await peer.take(1))[0] !== 1) throw new Error('no ClientInit')
  await send(peer, SERVER_INIT)
  return { spoken, chosen }
}

const readReason = async (peer: Peer): Promise<string> =>
  (await peer.take((await peer.take(4)).readUInt32BE())).toString()

/** A VNC client without a password. Returns what it was offered, and the reason if it was not let in. */
export const speakAsClient = async (peer: Peer, version: string, send: Send = whole) => {
  const greeting = (await peer.take(12)).toString()
  await send(peer, line(version))
  const is33 = !['3.7', '3.8'].includes(version)
  const count = is33 ? (await peer.take(4)).readUInt32BE() : ((await peer.take(1))[0] as number)
  if (count === 0) return { greeting, types: [], reason: await readReason(peer) }
  const types = is33 ? [count] : [...(await peer.take(count))]
  if (!is33) await send(peer, Uint8Array.of(1))
  if (version === '3.8') types.push((await peer.take(4)).readUInt32BE())
  await send(peer, Uint8Array.of(1))
  const init = (await peer.take(SERVER_INIT.length)).toString()
  if (init !== SERVER_INIT) throw new Error(`${init} instead of the ServerInit`)
  return { greeting, types }
}
