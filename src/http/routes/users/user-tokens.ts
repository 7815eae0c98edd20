import * as E from 'fp-ts/lib/Either.js'
import type { TokenDocument } from '../../../../projections/token.ts'
import { integer, matching } from '../../../domain/codec/codec.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { Role, TokenScope } from '../../../domain/events/user.ts'
import { refuse } from '../../../domain/failure.ts'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import { type TokenCommand, tokenDecider, validTokens } from '../../../domain/token/decide.ts'
import type { User } from '../../../domain/user/user.ts'
import { classExcluding, DEFAULT_IGNORABLE, INVISIBLE } from '../../../domain/values/characters.ts'
import { tokenStream } from '../../../domain/values/ids.ts'
import { formatMilliseconds } from '../../../domain/values/instant.ts'
import { makeToken, mayHaveRole } from '../../../users/tokens.ts'
import type { Users } from '../../../users/users.ts'
import { type BodyOf, bodyOf, withoutBody } from '../../codecs/body.ts'
import { LIMIT_DEFAULT, type Paging, pageQuery } from '../../codecs/lists.ts'
import { type Call, envelopeOf, NO_STORE, type RouteResult } from '../../protocol/call.ts'
import type { Code, Refusal } from '../../protocol/problem.ts'
import { everyone, get, post, type Route, refTo } from '../../protocol/route.ts'
import { entriesAfter, listResponse } from '../list-response.ts'
import type { Parts } from '../parts.ts'
import { USER_READ_ONLY } from './user-changes.ts'
import { findPresent } from './user-reads.ts'

const TokenName = matching(
  'token name',
  new RegExp(`^[${classExcluding([...INVISIBLE, ...DEFAULT_IGNORABLE])}]{1,64}$`, 'u'),
  'must be 1 to 64 characters, without invisible ones',
)
const options = { role: Role, scope: TokenScope, expires_in: integer(60, 31_536_000) }
const tokenBody = bodyOf(closed('TokenRequest', { name: TokenName }, options), { readOnly: USER_READ_ONLY })

type Shown = Pick<TokenDocument, '_id' | 'role' | 'created_at' | 'expires_at' | 'scope'>

/** Without a readable name, the id stands for it. */
const shown = ({ _id, role, created_at, expires_at, scope }: Shown, name = _id) => ({
  ...{ _id, name, role, created_at, expires_at },
  ...(scope !== undefined && { scope }),
})

/** Whose tokens a call is about: one's own, or as an administrator those of others. */
const subjectOf = async (users: Users, { id: of, user }: Call): Promise<E.Either<Refusal, string>> => {
  const id = of === 'me' ? user._id : of
  if (id !== user._id && user.role !== 'administrator')
    return refuse('forbidden', 'Only administrators manage tokens of others.')
  if (id !== user._id && user.token !== undefined)
    return refuse('forbidden', 'A token does not manage tokens of others.')
  return E.map(({ _id }: User) => _id)(await findPresent(users, id))
}

/** Runs a command on a user's tokens, and reads one as of its end. */
const run = async (
  { runner, objects }: Parts,
  call: Call,
  command: TokenCommand & { readonly type: 'IssueToken' | 'RevokeToken' },
  secrets?: readonly SealedSecret[],
) => {
  const { _id, user_id } = command.type === 'IssueToken' ? command.token : command
  const stream = tokenStream(user_id)
  const result = await runner.run(tokenDecider, stream, { ...envelopeOf(call), command, secrets })
  if (E.isLeft(result)) return result
  const outcome = result.right
  const isRepeated = outcome.kind === 'repeated'
  const { document, position } = await objects.after('token', isRepeated ? outcome.id : _id, stream, outcome)
  return E.right({ token: JSON.parse(document) as TokenDocument, isRepeated, at: position >= 0 ? { position } : {} })
}

/** When a new token expires, in Unix milliseconds. One that expires issues none that outlives it. */
const expiryOf = ({ token, expires }: Call['user'], expires_in: number | undefined, now: number) => {
  const until = expires_in === undefined ? undefined : now + expires_in * 1000
  return token === undefined || expires === undefined ? until : Math.min(until ?? expires, expires)
}

const issue = async (parts: Parts, call: Call<BodyOf<typeof tokenBody>>): RouteResult => {
  const { users, vault, clock, randomBytes } = parts
  const subject = await subjectOf(users, call)
  if (E.isLeft(subject)) return subject
  const user_id = subject.right
  // Only administrators get here for others.
  const holder = user_id === call.user._id ? call.user : users.byId(user_id)
  const { name, expires_in, scope, role = holder?.role ?? call.user.role } = call.body
  if (holder === undefined || !mayHaveRole(holder, role))
    return refuse('forbidden', `This request may not issue a token with the role ${role}.`)
  if (scope === 'metrics' && role === 'tester')
    return refuse('forbidden', 'Testers may not read metrics. The role must be auditor or administrator.')
  const { _id, token, hash } = makeToken(randomBytes)
  const { credentials, secrets } = vault.sealTokenName(user_id, _id, name)
  const expires = expiryOf(call.user, expires_in, clock())
  const expires_at = expires !== undefined && { expires_at: formatMilliseconds(expires) }
  const issued = { _id, user_id, role, hash, credentials, ...expires_at, ...(scope && { token_scope: scope }) }
  const result = await run(parts, call, { type: 'IssueToken', token: issued }, secrets)
  if (E.isLeft(result)) return result
  const body = { ...shown(result.right.token, name), ...(!result.right.isRepeated && { token }) }
  const headers = { Location: `/api/user/${encodeURIComponent(user_id)}/token`, ...NO_STORE }
  return E.right({ status: 201, body: JSON.stringify(body), headers, ...result.right.at })
}

const list = async ({ runner, users, vault, clock }: Parts, call: Call<unknown, Paging>): RouteResult => {
  const subject = await subjectOf(users, call)
  if (E.isLeft(subject)) return subject
  const { limit = LIMIT_DEFAULT, offset = 0, before } = call.query
  const valid = await runner.inspect(tokenDecider, tokenStream(subject.right), (state) => validTokens(state, clock()))
  const entries = entriesAfter(valid.toReversed(), 'token', before)
  if (E.isLeft(entries)) return entries
  const names = await vault.revealTokenNames(subject.right)
  const documents = entries.right
    .slice(offset, offset + limit)
    .map((token) => JSON.stringify(shown(token, names.get(token._id))))
  return E.right(listResponse('tokens', call.query, { documents, count: valid.length }))
}

const revoke = async (parts: Parts, call: Call): RouteResult => {
  const { users, vault } = parts
  const subject = await subjectOf(users, call)
  if (E.isLeft(subject)) return subject
  const user_id = subject.right
  const _id = call.params.token ?? ''
  const result = await run(parts, call, { type: 'RevokeToken', _id, user_id })
  if (E.isLeft(result)) return result
  const { token, at } = result.right
  const names = await vault.revealTokenNames(user_id)
  const body = { ...shown(token, names.get(_id)), revoked_at: token.revoked_at }
  return E.right({ status: 200, body: JSON.stringify(body), ...at })
}

const OF_TOKENS: readonly Code[] = ['forbidden', 'user_not_found', 'user_removed']
const OF_WHOM = { id: 'The _id of the user, or `me`. Only administrators may give that of others.' }

export const tokenRoutes: readonly Route<Parts>[] = [
  post('/api/user/:id/token', {
    id: 'issueToken',
    summary: 'Issue a token',
    guide: 'people.md#tokens',
    description:
      'The token is shown in this answer only. It takes the place of a password, with the role given or else that of the user. It must be a role that the request has itself: administrators may give any that the user may have.',
    roles: everyone,
    body: tokenBody,
    answer: refTo('NewToken'),
    isCreation: true,
    refusals: [...OF_TOKENS, 'too_many_tokens'],
    notes: OF_WHOM,
    handler: issue,
  }),
  get('/api/user/:id/token', {
    id: 'listTokens',
    summary: 'List the tokens of a user, newest first',
    description: 'Those that have expired or were revoked are left out.',
    roles: everyone,
    query: pageQuery,
    answer: refTo('TokenList'),
    refusals: OF_TOKENS,
    notes: OF_WHOM,
    handler: list,
  }),
  post('/api/user/:id/token/:token/revoke', {
    id: 'revokeToken',
    summary: 'Revoke a token',
    description: 'It stops working at once, and event streams and consoles opened with it end.',
    roles: everyone,
    ...withoutBody,
    answer: refTo('Token'),
    refusals: [...OF_TOKENS, 'token_not_found'],
    notes: OF_WHOM,
    handler: revoke,
  }),
]
