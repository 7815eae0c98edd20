import { createReadStream } from 'node:fs'
import type { Socket } from 'node:net'
import { plainAddress } from '../connections/addresses.ts'

/** The addresses and ports of a TCP connection, as one text. */
const keyOf = (local: string, localPort: number, remote: string, remotePort: number): string =>
  `${local} ${localPort} ${remote} ${remotePort}`

/** Undefined for a socket that is no longer connected. */
export const keyOfSocket = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string | undefined =>
  localAddress === undefined || localPort === undefined || remoteAddress === undefined || remotePort === undefined
    ? undefined
    : keyOf(plainAddress(localAddress), localPort, plainAddress(remoteAddress), remotePort)

/** Words of 32 bits in the byte order of the processors that Node is built for, which is little-endian. */
const readAddress = (hex: string): string => {
  const bytes = Buffer.from(hex, 'hex')
  bytes.swap32()
  if (bytes.length === 4) return bytes.join('.')
  return plainAddress((bytes.toString('hex').match(/.{4}/g) ?? []).join(':'))
}

const ENDPOINT = '([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})'
/**
 * A row whose timer is of type 1, for a retransmission: addresses, what has been sent and not acknowledged, when the
 * timer fires, retransmissions in vain, and after four other columns the timeout that runs. A peer that takes no more
 * but answers has type 4.
 */
const RETRANSMITTING = new RegExp(
  `^ *\\d+: ${ENDPOINT} ${ENDPOINT} .. [0-9A-F]{8}:[0-9A-F]{8} 01:([0-9A-F]{8}) ([0-9A-F]{8}) +\\d+ +\\d+ \\d+ \\d+ \\S+ (\\d+)`,
  'gm',
)

/** Ticks in a second as the kernel tells them to user programs, on every processor that Node is built for (proc(5)). */
const MS_PER_TICK = 1_000 / 100

/**
 * For how many milliseconds each connection has sent in vain, by its key, from the text of Linux's `/proc/net/tcp` or
 * `tcp6`. The timeout doubles with each retransmission: those before took `rto / 2 + rto / 4 + ...`. Where it has
 * reached its maximum of two minutes, or does not double, this is less than the truth.
 */
export const readUnacknowledged = (table: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const [, local, localPort, remote, remotePort, when, retransmissions, rto] of table.matchAll(RETRANSMITTING)) {
    const times = Number.parseInt(retransmissions as string, 16)
    if (times === 0) continue
    const timeout = Number(rto)
    const before = timeout * (1 - 2 ** -times)
    const running = Math.max(0, timeout - Number.parseInt(when as string, 16))
    const port = (hex: string | undefined): number => Number.parseInt(hex as string, 16)
    const key = keyOf(readAddress(local as string), port(localPort), readAddress(remote as string), port(remotePort))
    found.set(key, (before + running) * MS_PER_TICK)
  }
  return found
}

/** A file as texts of whole lines, each of some 64 KiB at most; none where it cannot be read. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const chunk of createReadStream(path, 'latin1')) {
      const text = `${rest}${chunk}`
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      yield text.slice(0, end)
    }
  } catch {
    // There is no /proc, or no IPv6.
  }
}

/** Reads such tables piece by piece: with many connections they have megabytes, and others' bytes must not wait. */
export const readTables = async (paths: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>()
  for (const path of paths) {
    for await (const rows of readLines(path)) {
      for (const [key, ms] of readUnacknowledged(rows)) found.set(key, ms)
    }
  }
  return found
}
