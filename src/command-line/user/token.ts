import type * as t from 'io-ts'
import { listOf, opaqueId, orNull } from '../../domain/codec/codec.ts'
import { Role } from '../../domain/events/user.ts'
import { readRole } from '../people/limits.ts'
import { describe, lookUpUser, userPath } from '../people/members.ts'
import { answer, line, makeAsk, unread } from '../service/call.ts'
import { type Command, CommandFailure, orFail, WrongUsage } from '../terminal/command.ts'

/** The token is shown only once. */
const Issued = answer({ _id: opaqueId }, { token: line })

export const tokenIssueCommand: Command = {
  name: 'token issue',
  operands: ['NAME'],
  options: {
    name: { type: 'string', isRequired: true },
    role: { type: 'string' },
    scope: { type: 'string' },
    'expires-in': { type: 'string' },
  },
  summary: 'issues a token of a user, for scripts',
  example: 'token issue anna --name nightly --expires-in 7776000',
  help: `
Issues a token that takes the place of the password of the user with the name or id NAME. Prints the id of the token
and, on the next line, the token, which is shown only once. --name says what it is for, in 1 to 64 characters.

Requests with it have the --role, which must be one that the user may have, or else the role of the user. It expires
after --expires-in seconds, 60 to 31536000, or else does not expire. With --scope metrics it reads /metrics and may do
nothing else; the role must be auditor or administrator.`,
  run: async ({ operands: [typed], options }, config, terminal) => {
    const { name, 'expires-in': seconds } = options
    if (name === undefined) throw new WrongUsage('a --name is required')
    const role = options.role === undefined ? undefined : readRole(options.role)
    if (seconds !== undefined && !/^\d{1,9}$/.test(String(seconds)))
      throw new WrongUsage('--expires-in must be a whole number of seconds')
    const { scope } = options
    if (scope !== undefined && scope !== 'metrics') throw new WrongUsage('--scope must be metrics')
    const body = { name, role, ...(scope && { scope }), ...(seconds !== undefined && { expires_in: Number(seconds) }) }
    const ask = makeAsk(config, terminal)
    const user = await lookUpUser(ask, typed)
    const path = userPath(user, 'token')
    const { _id, token } = orFail(await ask({ method: 'POST', path, body, answer: Issued }))
    // To a repeated request the service does not show it.
    if (token === undefined) {
      const remedy = `revoke it with: token revoke ${user._id} ${_id}`
      throw new CommandFailure(`the token of ${describe(user)} was issued, but the answer was lost; ${remedy}`)
    }
    terminal.stdout(`${_id}\n${token}\n`)
  },
}

/** A token as the service shows it. */
const Token = answer({ _id: opaqueId, name: line, role: Role, expires_at: orNull(line) }, { scope: line })
type Token = t.TypeOf<typeof Token>

const Tokens = answer({ tokens: listOf(Token) }, {})

/** Tokens that a user may have, which is also the length of the longest page. */
const TOKENS_MAX = 1_000

const lineOf = ({ _id, role, scope, expires_at, name }: Token): string =>
  [_id, scope === undefined ? role : `${role} (${scope})`, expires_at ?? 'never', name].join('\t')

export const tokenListCommand: Command = {
  name: 'token list',
  operands: ['NAME'],
  options: { json: { type: 'boolean' } },
  summary: 'lists the tokens of a user',
  example: 'token list anna',
  help: `
Prints the tokens of the user with the name or id NAME, the newest first, one per line: id, role, the time at which it
expires or "never", and name, separated by tabs. A token for metrics has that in brackets after its role. Tokens that
have expired or were revoked are left out.

With --json it prints {"tokens":[...]} with the tokens as GET /api/user/<id>/token shows them.`,
  run: async ({ operands: [typed], options }, config, terminal) => {
    const ask = makeAsk(config, terminal)
    const user = await lookUpUser(ask, typed)
    const path = `${userPath(user, 'token')}?limit=${TOKENS_MAX}`
    const { tokens } = orFail(await ask({ method: 'GET', path, answer: Tokens }))
    if (options.json) terminal.stdout(`${JSON.stringify({ tokens })}\n`)
    else if (tokens.length > 0) terminal.stdout(`${tokens.map(lineOf).join('\n')}\n`)
    else terminal.stderr(`berth: ${describe(user)} has no tokens\n`)
  },
}

export const tokenRevokeCommand: Command = {
  name: 'token revoke',
  operands: ['NAME', 'TOKEN_ID'],
  summary: 'revokes a token of a user',
  example: 'token revoke anna 6b013ba0b6a9a41fe5bda65e',
  help: `
Revokes the token with the id TOKEN_ID of the user with the name or id NAME. It stops working within 2 s, for good.
"token list" shows the ids.`,
  run: async ({ operands: [typed, id = ''] }, config, terminal) => {
    const ask = makeAsk(config, terminal)
    const user = await lookUpUser(ask, typed)
    const path = userPath(user, `token/${encodeURIComponent(id)}/revoke`)
    const revoked = orFail(await ask({ method: 'POST', path, answer: unread }))
    terminal.stdout(`revoked ${JSON.stringify(revoked.name)} of ${describe(user)}\n`)
  },
}
