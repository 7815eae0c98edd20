import { readdir, readFile, readlink } from 'node:fs/promises'
import { ExpectedError } from '../../../files/expected-error.ts'

/** Another program listens on the port; the message names it where that can be found out. */
export class PortTaken extends ExpectedError {}

/** Inodes of the sockets that listen on a port, at any address. Only Linux has these files. */
const listenersOn = async (port: number): Promise<readonly string[]> => {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'latin1').catch(() => '')),
  )
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  return tables
    .flatMap((table) => table.split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${wanted}`))
    .flatMap(({ 9: inode }) => inode ?? [])
}

/** The sockets of a process. Those of other users cannot be read. */
const socketsOf = async (pid: string): Promise<readonly string[]> => {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}

/** The only process that listens on a port; undefined if there are several, or if one cannot be seen. */
const findHolder = async (port: number): Promise<string | undefined> => {
  const unseen = new Set(await listenersOn(port))
  if (unseen.size === 0) return undefined
  const holders: string[] = []
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const own = (await socketsOf(pid)).filter((inode) => unseen.has(inode))
    if (own.length > 0) holders.push(pid)
  }
  const [pid] = holders
  if (pid === undefined || holders.length > 1) return undefined
  for (const inode of await socketsOf(pid)) unseen.delete(inode)
  if (unseen.size > 0) return undefined
  // Not the command line, which may contain secrets.
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
  return `process ${pid}${name === '' ? '' : ` (${name.trim()})`}`
}

/** The error for a port that cannot be taken. Other errors are returned as they are. */
export const explainTakenPort = async (
  { host, port }: { readonly host: string; readonly port: number },
  error: unknown,
): Promise<unknown> => {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error
  const holder = (await findHolder(port)) ?? 'another program'
  const sentence = `BERTH_PORT: port ${port} at ${host} is in use by ${holder}`
  return new PortTaken(`${sentence}; stop it, or set BERTH_PORT to another port`, { cause: error })
}
