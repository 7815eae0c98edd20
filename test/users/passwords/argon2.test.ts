import { argon2Sync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import test from 'ava'
import { type Argon2Job, argon2id } from '../../../src/users/passwords/argon2.ts'

const JOB: Argon2Job = {
  password: 'correct horse',
  salt: new Uint8Array(16),
  memory: 256,
  passes: 1,
  parallelism: 1,
  tagLength: 32,
}

/** The name of each thread of this process and its nice value, field 19 of proc_pid_stat(5). */
const threads = (): readonly { readonly name: string; readonly nice: number }[] =>
  readdirSync('/proc/self/task').map((id) => {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/.exec(readFileSync(`/proc/self/task/${id}/stat`, 'utf8')) ?? []
    return { name, nice: Number(rest.split(' ')[16]) }
  })

test('many tags are derived at once, each from its own password', async (t) => {
  const passwords = Array.from({ length: 20 }, (_, n) => `password ${n % 10}`)
  const derived = await Promise.all(passwords.map((password) => argon2id({ ...JOB, password })))
  const tags = derived.map(({ tag }) => tag)
  t.is(new Set(tags.map((tag) => Buffer.from(tag).toString('hex'))).size, 10)
  t.deepEqual(tags.slice(0, 10), tags.slice(10))
})

test('a tag has as many passes as it was asked for, and comes with the CPU time that it took', async (t) => {
  // Far more than the few milliseconds in which Linux counts the time of a thread.
  const job = { ...JOB, memory: 65_536, passes: 3 }
  const { tag, cpu } = await argon2id(job)
  const { password: message, salt: nonce, ...cost } = job
  t.deepEqual(Buffer.from(tag), argon2Sync('argon2id', { message, nonce, ...cost }))
  t.true(cpu > 0)
})

test('what OpenSSL refuses is an error, and the next tag is derived', async (t) => {
  await t.throwsAsync(argon2id({ ...JOB, memory: 8, parallelism: 16 }))
  t.is((await argon2id(JOB)).tag.length, 32)
})

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('at most two threads derive tags, and give way to all others', async (t) => {
  await Promise.all(Array.from({ length: 20 }, () => argon2id(JOB)))
  const nice = getPriority()
  const nicer = Math.min(19, nice + 10)
  const [own, others] = [true, false].map((isOwn) => threads().filter(({ name }) => (name === 'argon2') === isOwn))
  t.deepEqual(
    own?.map((thread) => thread.nice),
    [nicer, nicer],
  )
  t.true(others?.every((thread) => thread.nice === nice))
})
