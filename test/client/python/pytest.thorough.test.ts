import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { until } from '../../http/until.ts'
import { HELD, historyOf } from '../lab.ts'
import { hasXdist, type PythonLab, startPythonLab, takeAway, inPytest as test } from './lab.ts'

const MATCH = '--berth-match=sut_type=tcp'

/** Runs pytest on a file. */
const start = async (t: ExecutionContext, lab: PythonLab, name: string, text: string, ...args: readonly string[]) => {
  await writeFile(join(lab.folder, `test_${name}.py`), text)
  const line = ['pytest-3', '-p', 'berth', '-p', 'no:cacheprovider', '-rs', `test_${name}.py`, MATCH, ...args]
  return lab.run(t, '', { line })
}

const pytest = async (...args: Parameters<typeof start>) => (await start(...args)).ended

/** Resolves when a program has written a file. */
const fileIn = ({ folder }: PythonLab, name: string): Promise<void> =>
  until(`${name} is there`, async () => existsSync(join(folder, name)), 60_000)

const THREE = `
import pytest
def test_one(machine): assert machine.port
def test_two(machine): assert machine.host == "127.0.0.1"
class TestMore:
    def test_three(self, machine): assert machine.sut["name"].startswith("lab-")
`

test('a machine is kept for the session, a class or a test, and named in the report', async (t) => {
  const lab = await startPythonLab(t)
  const reservations = new Map([
    ['session', 1],
    ['class', 3],
    ['function', 3],
  ])
  let before = 0
  for (const [scope, count] of reservations) {
    const args = ['--berth-tag=n=1', `--berth-scope=${scope}`, '--junitxml=report.xml']
    const { code, out } = await pytest(t, lab, scope, THREE, ...args)
    t.is(code, 0, out)
    const made = (await historyOf(lab, 1)).length
    t.is(made - before, 2 * count, scope)
    before = made
    const report = await readFile(join(lab.folder, 'report.xml'), 'utf8')
    t.is(report.match(/<property name="machine" value="lab-1" ?\/>/g)?.length, 3)
    t.is(report.match(new RegExp(`name="machine_id" value="${lab.suts[0]}"`, 'g'))?.length, 3)
    t.is(new Set(report.match(/name="reservation_id" value="[0-9a-f]{24}"/g)).size, count)
  }
})

test('a marked test gets the machine that it asks for, and those that ask for the same share it', async (t) => {
  const lab = await startPythonLab(t, 2)
  const text = `
import pytest
@pytest.mark.machine(match={"name": "lab-2"}, minutes=45)
def test_mine(machine): assert machine.sut["name"] == "lab-2"
@pytest.mark.machine(minutes=45, match={"name": "lab-2"})
def test_same(machine): assert machine.sut["name"] == "lab-2"
def test_other(machine): assert machine.sut["name"] == "lab-1"
@pytest.mark.machine(tags={"n": "none"})
def test_none(machine): pass
@pytest.mark.machine(minutes="soon")
def test_wrong(machine): pass
`
  const { out } = await pytest(t, lab, 'marked', text, '--berth-match=tag.rack=4', '--berth-tag=n=1,2')
  t.regex(out, /1 failed, 3 passed, 1 skipped|3 passed, 1 skipped, 1 error/, out)
  t.regex(out, /SKIPPED \[1\] .*: no machine: 422 no_sut_matches: /)
  t.deepEqual(await historyOf(lab, 2), HELD)
})

test('without a machine tests are skipped with the words of the refusal, or fail where it is required', async (t) => {
  const lab = await startPythonLab(t)
  const held = { sut_id: lab.suts[0], start_in: 0, duration: 900 }
  await lab.service.as('admin').post('/api/sut_reservation/create', held)
  const skipped = await pytest(t, lab, 'skipped', THREE)
  t.regex(skipped.out, /SKIPPED .*: no machine: None of the SUTs that fit, 1 in all, is active, .* 3 skipped in /s)
  const failed = await pytest(t, lab, 'failed', THREE, '--berth-required')
  t.deepEqual([skipped.code, failed.code], [0, 1])
  t.regex(failed.out, /\nno machine: .* 3 errors/s)
  await writeFile(join(lab.folder, 'conftest.py'), 'import berth\nberth.LIMITS.outage = 0\n')
  const line = ['pytest-3', '-p', 'berth', '-rs', MATCH, '--berth-scope=function', 'test_failed.py']
  const away = await lab.run(t, '', { line, env: { BERTH_URL: 'http://127.0.0.1:1' } }).ended
  t.regex(away.out, /SKIPPED .*: no machine: the service at http:\/\/127\.0\.0\.1:1 cannot be reached: /)
  const wrong = await pytest(t, lab, 'wrong', THREE, '--berth-match=colour=red')
  t.is(wrong.code, 4)
  t.regex(wrong.errors, /ERROR: --berth-match: colour is none of sut_type, /)
})

test('two workers share one machine by turns, or one of them says that it has none', async (t) => {
  if (!hasXdist(t)) return
  const lab = await startPythonLab(t)
  const text = `
import os, time, pytest
@pytest.mark.parametrize("n", range(6))
def test_alone(machine, n):
    os.mkdir("held")
    time.sleep(0.05)
    os.rmdir("held")
`
  const turns = await pytest(t, lab, 'turns', text, '-n', '2', '--berth-scope=function', '--berth-wait=1h')
  t.regex(turns.out, /6 passed/, turns.out)
  t.is((await historyOf(lab, 1)).length, 12)
  // Whoever has the machine keeps it until the other has gone on without one.
  const each = `
import os, time
def test_one(machine):
    while not os.path.exists("went-on"): time.sleep(0.05)
def test_two(): open("went-on", "w").close()
`
  const session = await pytest(t, lab, 'each', each, '-n', '2', '--dist=each')
  t.regex(session.out, /3 passed, 1 skipped/, session.out)
})

test('two workers have a machine each for the session, and give it back without the process that started them', async (t) => {
  if (!hasXdist(t)) return
  const lab = await startPythonLab(t, 2)
  const text = `
import os, time, berth
berth.LIMITS.keep = 0.2
def test_one(machine):
    open(machine.sut["name"], "w").close()
    while True:
        try: time.sleep(600)
        except KeyboardInterrupt: pass
`
  const running = await start(t, lab, 'both', text, '-n', '2', '--dist=each')
  for (const name of ['lab-1', 'lab-2']) await fileIn(lab, name)
  running.child.kill('SIGKILL')
  const histories = () => Promise.all([historyOf(lab, 1), historyOf(lab, 2)])
  await until('both are free', async () => (await histories()).flat().length === 4, 60_000)
  t.deepEqual(await histories(), [HELD, HELD])
})

test('pytest that ends by SIGTERM or Ctrl-C gives back at once, and one that is killed by its keepalive', async (t) => {
  const lab = await startPythonLab(t)
  const text = `
import time
def test_long(machine):
    open("begun", "w").close()
    time.sleep(600)
`
  let [given, n] = [0, 0]
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    const args = ['--berth-keepalive=30s', '--berth-wait=1h']
    const running = await start(t, lab, 'long', text.replace('begun', `begun-${n}`), ...args)
    await fileIn(lab, `begun-${n}`)
    n += 1
    running.child.kill(signal)
    await running.ended
    given += signal === 'SIGKILL' ? 1 : 2
    t.is((await historyOf(lab, 1)).length, given, signal)
  }
  await until('it is free', async () => (await historyOf(lab, 1)).length === 6, 90_000)
})

test('a test that passes on a machine that is lost meanwhile has failed', async (t) => {
  const lab = await startPythonLab(t)
  const text = `
def test_lost(machine):
    open("begun", "w").close()
    machine.lost.wait()
def test_after(machine): pass
`
  const running = await start(t, lab, 'lost', text)
  await fileIn(lab, 'begun')
  await takeAway(lab, 1)
  const { out } = await running.ended
  t.regex(out, /berth\.Lost: the reservation is no longer in force: /, out)
  t.regex(out, /1 failed, 2 errors/)
})
