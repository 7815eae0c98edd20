import { execFile, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { shared } from '../http/shared.ts'
import { until } from '../http/until.ts'
import { HELD, historyOf, NODE, reserving, startLab, watch } from './lab.ts'

/** Each test has a machine of its own. */
const lab = shared((scope) => startLab(scope, 4))

const run = promisify(execFile)

/** The words of a client that reserves the nth machine, for a shell that starts it. */
const client = (n: number, script: string): string =>
  [NODE, lab.file, ...reserving(n, '--', 'sh', '-c', script)].map((word) => `'${word}'`).join(' ')

test('descriptors from 3 on reach COMMAND, and none of the own of Node', async (t) => {
  const input = join(lab.folder, 'input')
  await writeFile(input, 'of a file\n')
  const script = 'cat <&4; cat <&9; echo 17 > /dev/fd/17; for fd in /proc/self/fd/*; do readlink $fd; done'
  const line = `${client(1, script)} 4< ${input} 9< <(echo of a pipe) 17> ${input}-17`
  const { stdout } = await run('bash', ['-c', line], { env: { PATH: process.env.PATH, ...lab.env } })
  const [file, pipe, ...descriptors] = stdout.trim().split('\n')
  t.deepEqual([file, pipe, await readFile(`${input}-17`, 'utf8')], ['of a file', 'of a pipe', '17\n'])
  t.notRegex(descriptors.join(' '), /anon_inode/)
})

/** A shell that starts a client, and what it prints. */
const startShell = (t: ExecutionContext, line: string) => {
  const shell = spawn('bash', ['-c', line], { env: { PATH: process.env.PATH, ...lab.env } })
  t.teardown(() => void shell.kill('SIGKILL'))
  return watch(shell)
}

for (const [n, how, before] of [
  [2, 'nohup', 'nohup'],
  [3, 'a shell that ignores it', "trap '' HUP;"],
] as const) {
  test(`a hangup that is ignored because of ${how} stays ignored, by the client and by COMMAND`, async (t) => {
    const done = join(lab.folder, `done-${n}`)
    const script = `kill -HUP $$; echo $PPID; until [ -e ${done} ]; do sleep 0.05; done; echo whole`
    const shell = startShell(t, `${before} ${client(n, script)}; exit $?`)
    await until('COMMAND runs', async () => shell.output.out.includes('\n'), 60_000)
    process.kill(Number(shell.output.out), 'SIGHUP')
    await writeFile(done, '')
    const { code, out } = await shell.ended
    t.deepEqual([code, out.split('\n')[1]], [0, 'whole'])
    t.deepEqual(await historyOf(lab, n), HELD)
  })
}

test('a hangup that nobody ignores ends COMMAND', async (t) => {
  const shell = startShell(t, `exec ${client(4, 'echo runs; sleep 600')}`)
  await shell.said('runs')
  shell.child.kill('SIGHUP')
  t.is((await shell.ended).code, 129)
  t.deepEqual(await historyOf(lab, 4), HELD)
})

test('a Node that is too old is told so in a sentence', async (t) => {
  const old = join(lab.folder, 'old.cjs')
  await writeFile(
    old,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } })\n`,
  )
  const failed = await run(NODE, ['--require', old, lab.file, 'list']).catch((error) => error)
  t.deepEqual([failed.code, failed.stderr], [64, 'berth: this is Node 18.20.0; the client needs Node 20 or later\n'])
  t.regex((await run(NODE, [lab.file, '--version'])).stdout, /^berth \d+\.\d+\.\d+\n$/)
})
