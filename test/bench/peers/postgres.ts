import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** A temporary PostgreSQL, reached over TCP. */
export interface Postgres {
  readonly user: string
  readonly port: number
  readonly pid: number
  readonly stop: () => Promise<void>
}

const VERSIONS = '/usr/lib/postgresql'
const USER = 'bench'

/** Versions without `initdb` have only the client installed. */
export const newestPrograms = (): string => {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : []
  const programs = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((path) => existsSync(join(path, 'initdb')))
  if (programs === undefined) throw new Error('PostgreSQL is needed (on Debian: apt-get install postgresql)')
  return programs
}

/** PostgreSQL refuses to run as root; Debian's package creates a user for it. */
const IDENTITY = process.getuid?.() === 0 ? ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'] : []

/** Another process may take the port before PostgreSQL, which then exits with an error. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const untilReady = async (server: ChildProcessByStdio<null, null, Readable>): Promise<void> => {
  const lines: string[] = []
  let ready = false
  for await (const line of createInterface({ input: server.stderr })) {
    lines.push(line)
    ready = line.includes('ready to accept connections')
    if (ready) break
  }
  if (!ready) throw new Error(`postgres ended before it was ready:\n${lines.join('\n')}`)
  // Breaking the loop pauses the stream, and a full pipe would block PostgreSQL, which logs every refused insert.
  server.stderr.resume()
}

/**
 * Creates a cluster and starts it on the core of this process, because PostgreSQL is part of what is measured. Settings
 * are those of `initdb`: `fsync`, `full_page_writes` and `synchronous_commit` are on, so an answered reservation is as
 * durable as Berth's. Nothing else is tuned either: users get the defaults, and any change would be debatable.
 */
export const startPostgres = async (directory: string): Promise<Postgres> => {
  const programs = newestPrograms()
  const data = join(directory, 'data')
  if (IDENTITY.length > 0) execFileSync('chown', ['postgres:postgres', directory])
  const cluster = ['--username', USER, '--auth', 'trust', '--no-locale', '--encoding', 'UTF8', data]
  execFileSync('setpriv', [...IDENTITY, join(programs, 'initdb'), ...cluster], { cwd: directory, stdio: 'pipe' })
  const port = await freePort()
  const settings = ['-D', data, '-k', directory, '-c', 'listen_addresses=127.0.0.1', '-p', String(port)]
  // In its own process group, so that Ctrl-C reaches only this process. `--pdeathsig` stops it even if this one is killed.
  const wrapped = ['--pdeathsig', 'INT', ...IDENTITY, join(programs, 'postgres'), ...settings]
  const server = spawn('setpriv', wrapped, { cwd: directory, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(server, 'exit')
  await untilReady(server)
  // SIGTERM waits for clients: a pool reports its end before its connections are closed.
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM')
    await ended
  }
  return { user: USER, port, pid: server.pid as number, stop }
}
