import test, { type ExecutionContext } from 'ava'
import { type } from '../command-line/terminal.ts'
import { idOf, start } from '../http/harness.ts'

/** The commands that limit testers. */

const given = async (t: ExecutionContext) => {
  const { data } = await start(t)
  return { user: (line: readonly string[]) => type(['user', ...line], { BERTH_DATA: data }) }
}

test('user quota and user scope limit a tester, and user add does from the start', async (t) => {
  const { user } = await given(t)
  const limitsOf = async (name: string) => {
    const { quota, scope } = JSON.parse((await user(['show', name, '--json'])).out)
    return [quota && [quota.hours_per_week, quota.reservations_max, quota.priority_max], scope]
  }
  const bob = `bob (${idOf('bob')})`
  const set = await user(['quota', 'BOB', 'hours_per_week=40, reservations_max=20'])
  const text = 'hours_per_week=40,reservations_max=20,priority_max=none'
  t.deepEqual(set, { code: 0, out: `${bob} has the quota ${text}\n`, error: '' })
  t.is((await user(['scope', 'bob', 'team=qa1,rack=4'])).out, `${bob} has the scope rack=4,team=qa1\n`)
  t.deepEqual(await limitsOf('bob'), [[40, 20, null], 'rack=4,team=qa1'])
  const line = `${idOf('bob')}\ttester\tbob\tquota ${text}\tscope rack=4,team=qa1\n`
  t.true((await user(['list'])).out.includes(line))
  t.true((await user(['show', 'bob'])).out.includes(`\nquota\t${text}\nscope\track=4,team=qa1\nstatus\tpresent\n`))
  t.is((await user(['quota', 'bob', 'default'])).out, `${bob} has the quota of the service\n`)
  t.is((await user(['scope', 'bob', ''])).out, `${bob} has every SUT\n`)
  t.deepEqual(await limitsOf('bob'), [null, ''])
  t.is((await user(['add', 'carol', '--role', 'tester', '--quota', 'priority_max=7', '--scope', 'a=b'])).code, 0)
  t.deepEqual(await limitsOf('carol'), [[null, 100, 7], 'a=b'])
})

test('a quota or a scope that cannot be read ends with 2, and one for another role is refused', async (t) => {
  const { user } = await given(t)
  const misuses = [
    [await user(['quota', 'bob', '40']), /^berth: the quota must be "default", or limits like hours_per_week=40/],
    [await user(['scope', 'bob', 'rack']), /^berth: the scope must be tags like site=berlin/],
    [
      await user(['add', 'carol', '--role', 'tester', '--quota', 'hours=1']),
      /^berth: the quota must consist of hours_per_week/,
    ],
    [
      await user(['add', 'carol', '--role', 'tester', '--scope', 'a=1,a=2']),
      /^berth: the scope must have each name once/,
    ],
  ] as const
  for (const [{ code, out, error }, reason] of misuses) {
    t.deepEqual([code, out], [2, ''])
    t.regex(error, reason)
    t.regex(error, /\nusage: user /)
  }
  t.regex((await user(['quota', 'audrey', 'priority_max=1'])).error, /422 invalid: quota is for testers only/)
  t.regex((await user(['scope', 'admin', 'a=b'])).error, /422 invalid: scope is for testers only/)
})
