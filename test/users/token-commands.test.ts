import test, { type ExecutionContext } from 'ava'
import { type } from '../command-line/terminal.ts'
import { idOf, start } from '../http/harness.ts'
import { NOW } from '../http/requests.ts'

/** The commands on tokens, beside a running service that has admin, alice, bob and audrey. */

const given = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const token = (...line: readonly string[]) =>
    type(['token', ...line], { BERTH_DATA: service.data }, { now: service.clock.now })
  /** Whose token it is and its role, or the code of the refusal. */
  const whoHas = async (text: string): Promise<unknown> => {
    const { json } = await service.anyone.get('/api/sut?limit=1', { Authorization: `Bearer ${text}` })
    return json.code ?? 'let in'
  }
  return { service, token, whoHas }
}

test('token issue prints the id and the token, which works until token revoke', async (t) => {
  const { token, whoHas } = await given(t)
  const issued = await token('issue', 'ALICE', '--name', 'nightly build')
  t.deepEqual([issued.code, issued.error], [0, ''])
  const [id = '', text = '', end] = issued.out.split('\n')
  t.regex(id, /^[0-9a-f]{24}$/)
  t.regex(text, /^berth_[A-Za-z0-9_-]{43}$/)
  t.is(end, '')
  t.is(await whoHas(text), 'let in')
  const revoked = await token('revoke', 'alice', id)
  t.deepEqual(revoked, { code: 0, out: `revoked "nightly build" of alice (${idOf('alice')})\n`, error: '' })
  t.is(await whoHas(text), 'unauthenticated')
})

test('token list prints id, role, end and name of the good ones, newest first', async (t) => {
  const { service, token } = await given(t)
  const issue = async (...line: readonly string[]) => (await token('issue', ...line)).out.split('\n')[0]
  const first = await issue('admin', '--name', 'reads', '--role', 'auditor', '--expires-in', '3600')
  const second = await issue('admin', '--name', 'deploy')
  const listed = `${second}\tadministrator\tnever\tdeploy\n${first}\tauditor\t2030-05-02T06:58:11.400Z\treads\n`
  t.deepEqual(await token('list', 'admin'), { code: 0, out: listed, error: '' })
  const { tokens } = (await service.as('admin').get('/api/user/me/token')).json
  t.deepEqual(JSON.parse((await token('list', 'admin', '--json')).out), { tokens })
  service.clock.set('2030-05-02T06:58:11.400Z')
  t.is((await token('list', 'admin')).out, `${second}\tadministrator\tnever\tdeploy\n`)
  t.deepEqual(await token('list', 'bob'), { code: 0, out: '', error: `berth: bob (${idOf('bob')}) has no tokens\n` })
})

test('wrong use of the commands on tokens ends with 2, and what the service refuses with 1', async (t) => {
  const { token } = await given(t)
  const outcomes = [
    [await token('issue', 'alice'), 2, /a --name is required\nusage: token issue NAME --name VALUE \[--role VALUE\]/],
    [
      await token('issue', 'alice', '--name', 'x', '--role', 'root'),
      2,
      /the role must be administrator, tester or aud/,
    ],
    [await token('issue', 'alice', '--name', 'x', '--expires-in', '1h'), 2, /must be a whole number of seconds/],
    [
      await token('issue', 'alice', '--name', 'x', '--expires-in', '59'),
      1,
      /422 invalid: expires_in must be .* from 60/,
    ],
    [await token('issue', 'alice', '--name', ''), 1, /422 invalid: name must be/],
    [await token('issue', 'alice', '--name', 'x', '--role', 'administrator'), 1, /403 forbidden: /],
    [await token('issue', 'nobody', '--name', 'x'), 1, /there is no user "nobody"/],
    [await token('list', 'nobody'), 1, /there is no user "nobody"/],
    [await token('revoke', 'alice', 'x'), 1, /404 token_not_found: /],
    [await token('revoke', 'alice'), 2, /expected NAME and TOKEN_ID/],
  ] as const
  for (const [{ code, out, error }, expected, reason] of outcomes) {
    t.deepEqual([code, out], [expected, ''], error)
    t.regex(error, reason)
  }
})
