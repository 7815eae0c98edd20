import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { readConfig } from '../../src/app/config/config.ts'
import { temporaryData } from '../http/harness.ts'
import { ROOT } from '../process/harness.ts'
import { areInstalled } from '../tools.ts'
import { read } from './files.ts'

const exec = promisify(execFile)
const UNIT = read('src/deploy/berth.service')
const BACKUP = read('src/deploy/berth-backup.service')
const TIMER = read('src/deploy/berth-backup.timer')

/** A file beside the other units, with the paths of this checkout. */
const unitIn = async (t: ExecutionContext, name: string, text: string): Promise<string> => {
  const directory = await temporaryData(t)
  const units = { 'berth.service': UNIT, 'berth-backup.service': BACKUP, 'berth-backup.timer': TIMER, [name]: text }
  for (const [file, unit] of Object.entries(units)) {
    writeFileSync(join(directory, file), unit.replaceAll('/srv/berth', ROOT.replace(/\/$/, '')))
  }
  return join(directory, name)
}

const analyze = async (t: ExecutionContext, args: readonly string[], name: string, text: string): Promise<string> => {
  try {
    const { stdout, stderr } = await exec('systemd-analyze', [...args, await unitIn(t, name, text)])
    return args[0] === 'verify' ? stdout + stderr : ''
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return stdout + stderr
  }
}

const SECURITY = ['security', '--offline=true', '--threshold=20']

test('systemd-analyze verify accepts the units and the timer', async (t) => {
  if (!areInstalled(t, 'systemd-analyze')) return
  t.is(await analyze(t, ['verify'], 'berth.service', UNIT), '')
  t.is(await analyze(t, ['verify'], 'berth-backup.service', BACKUP), '')
  t.is(await analyze(t, ['verify'], 'berth-backup.timer', TIMER), '')
  const wrong = await analyze(t, ['verify'], 'berth.service', UNIT.replace('Type=exec', 'Tipe=exec'))
  t.not(wrong, '', 'control: it finds a wrong name')
})

test('systemd-analyze security rates the exposure of the units below 2.0', async (t) => {
  if (!areInstalled(t, 'systemd-analyze')) return
  t.is(await analyze(t, SECURITY, 'berth.service', UNIT), '')
  t.is(await analyze(t, SECURITY, 'berth-backup.service', BACKUP), '')
  const control = UNIT.replace('CapabilityBoundingSet=\n', '').replace('ProtectSystem=strict\n', '')
  t.not(await analyze(t, SECURITY, 'berth.service', control), '', 'control: not without two of its settings')
})

test('the backup unit runs the program of the service with its settings', (t) => {
  const commandOf = (unit: string) => /^ExecStart=(.*?berth\.js) (.*)$/m.exec(unit)
  t.deepEqual(commandOf(BACKUP)?.slice(1), [commandOf(UNIT)?.[1], 'backup --keep 14 /var/backups/berth'])
  for (const line of ['User', 'EnvironmentFile', 'WorkingDirectory', 'StateDirectory', 'UMask']) {
    const setting = new RegExp(`^${line}=.*$`, 'm')
    t.is(setting.exec(BACKUP)?.[0], setting.exec(UNIT)?.[0], line)
  }
})

test('the settings in the unit are accepted without warnings', (t) => {
  const settings = [...UNIT.matchAll(/\b(BERTH_[A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value])
  t.true(settings.length >= 2)
  const config = readConfig(Object.fromEntries(settings))
  t.true(E.isRight(config) && config.right.warnings.length === 0, JSON.stringify(config))
})
