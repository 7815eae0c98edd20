import { type Handshake, readByte } from './steps.ts'

/** The versions of RFB with a handshake of their own. */
export type RfbVersion = '3.3' | '3.7' | '3.8'

/** A ProtocolVersion message (RFC 6143, 7.1.1). */
const VERSION = /^RFB (\d{3})\.(\d{3})\n$/
const SHAPE = 'RFB 000.000\n'

const LINES: Readonly<Record<RfbVersion, string>> = {
  '3.3': 'RFB 003.003\n',
  '3.7': 'RFB 003.007\n',
  '3.8': 'RFB 003.008\n',
}

export const versionLine = (version: RfbVersion): Buffer => Buffer.from(LINES[version], 'latin1')

const parse = (bytes: Buffer): readonly [major: number, minor: number] | undefined => {
  const [, major, minor] = VERSION.exec(bytes.toString('latin1')) ?? []
  return major === undefined ? undefined : [Number(major), Number(minor)]
}

/**
 * A ProtocolVersion message. Undefined at the first byte that belongs to none: a peer that says something shorter is
 * not waited for.
 */
export function* readVersion(): Handshake<Buffer | undefined> {
  let version = ''
  while (version.length < SHAPE.length) {
    const byte = yield* readByte()
    version += String.fromCharCode(byte ?? 0)
    if (byte === undefined || !SHAPE.startsWith(version.replace(/\d/g, '0'))) return undefined
  }
  return Buffer.from(version, 'latin1')
}

/** The version to speak with a server: the lower of its own and 3.8, all below 3.7 as 3.3. */
export const versionForServer = (greeting: Buffer): RfbVersion | undefined => {
  const [major, minor] = parse(greeting) ?? []
  if (major === undefined || minor === undefined) return undefined
  if (major > 3 || (major === 3 && minor >= 8)) return '3.8'
  return major === 3 && minor === 7 ? '3.7' : '3.3'
}

/** The version that a client has chosen. RFC 6143 treats every other one as 3.3. */
export const versionOfClient = (answer: Buffer): RfbVersion | undefined => {
  const [major, minor] = parse(answer) ?? []
  if (major === undefined) return undefined
  if (major === 3 && minor === 8) return '3.8'
  return major === 3 && minor === 7 ? '3.7' : '3.3'
}

/** Security types (7.1.2). */
export const SECURITY = { none: 1, vncAuthentication: 2 } as const
