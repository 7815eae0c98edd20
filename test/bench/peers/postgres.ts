import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** A PostgreSQL of its own, reached over TCP or through a socket in its directory. */
export interface Postgres {
  readonly user: string
  readonly port: number
  readonly pid: number
  readonly stop: () => Promise<void>
}

const VERSIONS = '/usr/lib/postgresql'
const USER = 'bench'

/** A version without `initdb` has only its client here. */
export const newestPrograms = (): string => {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : []
  const programs = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((path) => existsSync(join(path, 'initdb')))
  if (programs === undefined) throw new Error('PostgreSQL is needed (on Debian: apt-get install postgresql)')
  return programs
}

/** PostgreSQL refuses to run as root; Debian's package has made it a user. */
const IDENTITY = process.getuid?.() === 0 ? ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'] : []

/** Whoever lets go of it and takes it again may be beaten to it: then PostgreSQL says so and ends. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const untilReady = async (server: ChildProcessByStdio<null, null, Readable>): Promise<void> => {
  const said: string[] = []
  let ready = false
  for await (const line of createInterface({ input: server.stderr })) {
    said.push(line)
    ready = line.includes('ready to accept connections')
    if (ready) break
  }
  if (!ready) throw new Error(`postgres ended before it was ready:\n${said.join('\n')}`)
  // It logs every refused insert, and would wait for a full pipe; the end of the loop has paused it.
  server.stderr.resume()
}

/**
 * Makes a cluster and starts it on the core of this process, which its own inherit: PostgreSQL is a part of what is
 * measured. Its settings are those of `initdb`, so `fsync`, `full_page_writes` and `synchronous_commit` are on and an
 * answered reservation is as durable as one of Berth's. The rest is not tuned either: the peer is what its users get, and a
 * setting changed by us would be one to argue about, whichever way it moved the figures.
 */
export const startPostgres = async (directory: string): Promise<Postgres> => {
  const programs = newestPrograms()
  const data = join(directory, 'data')
  if (IDENTITY.length > 0) execFileSync('chown', ['postgres:postgres', directory])
  const cluster = ['--username', USER, '--auth', 'trust', '--no-locale', '--encoding', 'UTF8', data]
  execFileSync('setpriv', [...IDENTITY, join(programs, 'initdb'), ...cluster], { cwd: directory, stdio: 'pipe' })
  const port = await freePort()
  const settings = ['-D', data, '-k', directory, '-c', 'listen_addresses=127.0.0.1', '-p', String(port)]
  // In a group of its own, so that an interrupt at the terminal reaches only us; it ends with us even when we are killed.
  const wrapped = ['--pdeathsig', 'INT', ...IDENTITY, join(programs, 'postgres'), ...settings]
  const server = spawn('setpriv', wrapped, { cwd: directory, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(server, 'exit')
  await untilReady(server)
  // SIGTERM lets the last clients go first: a pool says that it has ended before its connections have.
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM')
    await ended
  }
  return { user: USER, port, pid: server.pid as number, stop }
}
