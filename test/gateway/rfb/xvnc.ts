/** Servers that are not ours. */

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { respondToChallenge } from '../../../src/gateway/rfb/challenge.ts'
import type { Tidying } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { freePort, HOST } from '../peers.ts'

export const PASSWORD = 'machine1'
/** Milliseconds. */
const START_WITHIN = 15_000
/** The key with which VNC servers obfuscate password files. */
const FILE_KEY = String.fromCharCode(23, 82, 107, 6, 35, 78, 88, 7)

export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: HOST, port }, () => resolve(socket.destroy() !== undefined))
    socket.once('error', () => resolve(false))
  })

/** Starts Xvnc with a password on a free port and display. */
export const startXvnc = async (t: Tidying): Promise<{ readonly port: number; readonly directory: string }> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-vnc-'))
  const passwords = join(directory, 'passwd')
  writeFileSync(passwords, respondToChallenge(FILE_KEY, Buffer.from(PASSWORD)))
  chmodSync(passwords, 0o600)
  const port = await freePort()
  const display = `:${port}`
  const args = ['-SecurityTypes', 'VncAuth', '-PasswordFile', passwords, '-rfbport', String(port), '-localhost']
  const server: ChildProcess = spawn('Xvnc', [display, ...args, '-geometry', '320x200', '-depth', '24'], {
    stdio: 'ignore',
  })
  t.teardown(async () => {
    if (server.exitCode === null && server.kill()) await once(server, 'exit')
    rmSync(directory, { recursive: true })
  })
  await until('Xvnc', () => isListening(port), START_WITHIN)
  return { port, directory }
}

/** The size of a picture that a client takes which is not ours, and has no password unless it is given the file of one. */
export const takePicture = async (port: number, directory: string, passwords = '/dev/null'): Promise<number> => {
  const picture = join(directory, 'one.jpg')
  // It takes displays, which are ports above 5900.
  const args = ['-passwd', passwords, '-quiet', '-allowblank', '-encodings', 'raw', `${HOST}:${port - 5900}`, picture]
  await promisify(execFile)('vncsnapshot', args, { timeout: 60_000 })
  return statSync(picture).size
}
