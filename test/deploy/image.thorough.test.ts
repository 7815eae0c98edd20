import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'
import { temporaryDirectory } from '../users/temporary-directory.ts'
import { layOut, SCRIPT } from './image.ts'

const exec = promisify(execFile)
/** Processes in the namespaces are killed when `unshare` exits. */
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child']

test('the steps of the Dockerfile produce an image that starts, is healthy and stops cleanly', async (t) => {
  const isPossible = await exec('unshare', [...NAMESPACES, 'ip', 'link', 'set', 'lo', 'up']).then(
    () => process.getuid?.() === 0,
    () => false,
  )
  if (!isPossible) {
    t.log('NOT RUN: requires root, unshare and ip')
    t.pass()
    return
  }
  const root = await temporaryDirectory(t)
  await layOut(root)
  const { stdout } = await exec('unshare', [...NAMESPACES, 'bash', '-c', SCRIPT], {
    timeout: 200_000,
    killSignal: 'SIGKILL',
    env: { PATH: process.env.PATH, ROOT_DIR: root, NODE: process.execPath },
  })
  t.regex(stdout, /^healthy\n[0-9a-f]{24}\tadmin\tadministrator\t/)
  for (const file of ['audit.key', 'events.db', 'vault.key']) t.true(stdout.includes(`\n${file}\n`), file)
  t.regex(stdout, /\nended with 0\n"msg":"stopped"\n$/)
})
