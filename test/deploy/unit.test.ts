import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { keyChecks } from '../../src/config/checks/keys.ts'
import { readConfig } from '../../src/config/config.ts'
import { ROOT } from '../process/harness.ts'
import { temporaryDirectory } from '../users/temporary-directory.ts'
import { hasTool, read } from './files.ts'

const exec = promisify(execFile)
const UNIT = read('src/deploy/berth.service')

/** The unit file with the paths of this checkout. */
const unitIn = async (t: ExecutionContext, text = UNIT): Promise<string> => {
  const file = join(await temporaryDirectory(t), 'berth.service')
  writeFileSync(file, text.replaceAll('/srv/berth', ROOT.replace(/\/$/, '')))
  return file
}

const analyze = async (t: ExecutionContext, args: readonly string[], text?: string): Promise<string | undefined> => {
  try {
    const { stdout, stderr } = await exec('systemd-analyze', [...args, await unitIn(t, text)])
    return args[0] === 'verify' ? stdout + stderr : ''
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return stdout + stderr
  }
}

const SECURITY = ['security', '--offline=true', '--threshold=20']

test('systemd-analyze verify accepts the unit', async (t) => {
  if (!hasTool(t, 'systemd-analyze')) return
  t.is(await analyze(t, ['verify']), '')
  t.not(await analyze(t, ['verify'], UNIT.replace('Type=exec', 'Tipe=exec')), '', 'control: it finds a wrong name')
})

test('systemd-analyze security rates the exposure of the unit below 2.0', async (t) => {
  if (!hasTool(t, 'systemd-analyze')) return
  t.is(await analyze(t, SECURITY), '')
  const control = UNIT.replace('CapabilityBoundingSet=\n', '').replace('ProtectSystem=strict\n', '')
  t.not(await analyze(t, SECURITY, control), '', 'control: not without two of its settings')
})

test('the settings in the unit are accepted without warnings', (t) => {
  const settings = [...UNIT.matchAll(/\b(BERTH_[A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value])
  t.true(settings.length >= 2)
  const config = readConfig(Object.fromEntries(settings), keyChecks)
  t.true(E.isRight(config) && config.right.warnings.length === 0, JSON.stringify(config))
})

test('the unit runs the same command as npm start, and does not restart on a wrong configuration', (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } }
  const command = scripts.start.replace(/^exec /, '')
  t.regex(UNIT, new RegExp(`^ExecStart=/srv/berth/node_modules/.bin/${command}$`, 'm'))
  t.regex(UNIT, /^RestartPreventExitStatus=2$/m)
  t.regex(UNIT, /^StateDirectory=berth$/m)
})
