import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { HELD, historyOf, startLab } from '../client/lab.ts'
import { createSut } from '../http/requests.ts'
import { areInstalled } from '../tools.ts'
import { isAsShown, readSteps } from './answers.ts'
import { chapter } from './documents.ts'

test('a newcomer comes from an empty folder to a green pytest run by the first section of its chapter alone', async (t) => {
  if (!areInstalled(t, 'pytest-3', 'curl')) return
  const { blocks, text } = chapter('python.md')
  const line = (heading: string): number => text.slice(0, text.indexOf(`\n## ${heading}\n`)).split('\n').length
  const [from, to] = [line('From nothing to a green run'), line('pytest')]
  const steps = blocks
    .filter((block) => block.info === 'sh' && block.line > from && block.line < to)
    .flatMap(({ code }) => readSteps(code))
  t.is(steps.length, 2)
  const lab = await startLab(t, 0)
  const tags = { rack: '4' }
  const own = { name: 'bench 3', address: '127.0.0.1', port: 22, sut_type: 'tcp', os: 'linux', tags }
  const sut = await createSut(lab.service.as('admin'), own)
  const home = join(lab.folder, 'home')
  await mkdir(home)
  const script = steps.map(({ commands }) => commands).join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', script], {
    ...{ cwd: home, env: { PATH: '/usr/bin:/bin', HOME: home, ...lab.env } },
  })
  t.true(isAsShown(stdout, steps.map(({ answer }) => answer).join('\n')), stdout)
  t.deepEqual(await historyOf({ ...lab, suts: [sut] }, 1), HELD)
})
