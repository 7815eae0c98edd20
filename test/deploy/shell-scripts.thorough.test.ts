import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { promisify } from 'node:util'
import test from 'ava'
import { ROOT } from '../process/harness.ts'
import { areInstalled } from '../tools.ts'

const run = promisify(execFile)

test('shellcheck finds nothing in the shell scripts', async (t) => {
  if (!areInstalled(t, 'shellcheck')) return
  const scripts = ['.ci/run', ...globSync('src/**/*.sh', { cwd: ROOT })]
  t.true(scripts.length > 5, scripts.join())
  // Functions that only a trap calls are reported as unreachable, as information.
  await t.notThrowsAsync(run('shellcheck', ['--severity', 'warning', ...scripts], { cwd: ROOT }))
})
