import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { listOf, opaqueId, orNull } from '../../domain/codec/codec.ts'
import { Role } from '../../domain/events/user.ts'
import { describe, userPath } from '../people/members.ts'
import { withUser } from '../people/with-user.ts'
import { answer, line } from '../service/answer.ts'
import { type Command, DONE, printRefusal } from '../terminal/command.ts'

/** A token as the service shows it. */
const Token = answer({ _id: opaqueId, name: line, role: Role, expires_at: orNull(line) }, {})
type Token = t.TypeOf<typeof Token>

const Tokens = answer({ tokens: listOf(Token) }, {})

/** Tokens that a user may have, which is also the length of the longest page. */
const TOKENS_MAX = 1_000

const lineOf = ({ _id, role, expires_at, name }: Token): string => [_id, role, expires_at ?? 'never', name].join('\t')

export const tokenListCommand: Command = {
  name: 'token list',
  operands: ['NAME'],
  options: { json: { type: 'boolean' } },
  summary: 'lists the tokens of a user',
  example: 'token list anna',
  help: `
Prints the tokens of the user with the name or id NAME, the newest first, one per line: id, role, the time at which it
expires or "never", and name, separated by tabs. Tokens that have expired or were revoked are left out.

With --json it prints {"tokens":[...]} with the tokens as GET /api/user/<id>/token shows them.`,
  run: ({ operands: [typed = ''], options }, config, terminal) =>
    withUser(config, terminal, typed, async (ask, user) => {
      const path = `${userPath(user, 'token')}?limit=${TOKENS_MAX}`
      const read = await ask({ method: 'GET', path, answer: Tokens })
      if (E.isLeft(read)) return printRefusal(terminal, read.left.why)
      const { tokens } = read.right
      if (options.json) terminal.stdout(`${JSON.stringify({ tokens })}\n`)
      else if (tokens.length > 0) terminal.stdout(`${tokens.map(lineOf).join('\n')}\n`)
      else terminal.stderr(`berth: ${describe(user)} has no tokens\n`)
      return DONE
    }),
}
