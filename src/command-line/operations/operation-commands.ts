import type { Config } from '../../app/config/config.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import type { Operation } from '../../http/protocol/route.ts'
import { declarations } from '../../http/routes.ts'
import { lookUpUser } from '../people/members.ts'
import { readPassword } from '../people/password.ts'
import { callService, tryCall, unread } from '../service/call.ts'
import { lookUpSut } from '../sut/find.ts'
import { type Command, type CommandArguments, type Terminal, WrongUsage } from '../terminal/command.ts'
import { printAnswer, printList } from './answers.ts'
import { helpOfOperation } from './help.ts'
import {
  bodyFields,
  type Field,
  optionFor,
  optionOf,
  PASSWORD,
  PASSWORD_OPTION,
  queryFields,
  readBody,
  readQuery,
} from './options.ts'
import { listOfAnswer } from './schemas.ts'

/** The commands that are one request each, derived from the declarations of routes. */

/** What is typed for a part of a path, where it is not that part. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ sut_reservation: 'reservation', sut_reservation_series: 'series', sut_request: 'request', create: 'add' },
}

/** `sut update` of `/api/sut/:id/update`, `sut show` of `/api/sut/:id`, `sut list` of `/api/sut`. */
const nameOf = ({ path }: Operation): string => {
  const [resource = '', ...rest] = path.split('/').slice(2)
  const verb = rest.findLast((part) => !part.startsWith(':')) ?? (rest.length > 0 ? 'show' : 'list')
  return [resource, verb].map((part) => WORDS[part] ?? part).join(' ')
}

/** Logins are for browsers. What is no JSON, or has a password or a token, has a command by hand. */
const hasCommand = ({ path, roles, mediaType }: Operation): boolean =>
  path.startsWith('/api/') &&
  roles !== 'anyone' &&
  mediaType === undefined &&
  !/^\/api\/(?:log|user\/(?:me$|me\/|:id\/(?:token|password)))/.test(path)

/** The id of what a name means. */
const readId = async (config: Config, kind: string, typed: string): Promise<string> => {
  if (kind === 'sut') return (await lookUpSut(config, typed))._id
  if (kind !== 'user' || isAssignedId(typed)) return typed
  return (await lookUpUser((call) => tryCall(config, call), typed, ['present', 'removed']))._id
}

/** Members and parameters that name others. */
const REFERENCES = { sut_id: 'sut', user_id: 'user' } as const

/** What the arguments of a command become. */
interface Form {
  readonly query: readonly Field[]
  /** The members of the body that have options. */
  readonly body: readonly Field[]
  /** Whether the name of what is created is an operand. */
  readonly isNamed: boolean
  readonly hasPassword: boolean
  readonly needsOption: boolean
}

const formOf = (operation: Operation): Form => {
  const members = bodyFields(operation)
  const isNamed =
    operation.isCreation === true && members.some(({ member, isRequired }) => member === 'name' && isRequired)
  return {
    query: queryFields(operation),
    body: members.filter(({ member }) => member !== PASSWORD && !(isNamed && member === 'name')),
    isNamed,
    hasPassword: members.some(({ member }) => member === PASSWORD),
    needsOption: members.length > 0 && operation.isBodyOptional !== true,
  }
}

/** The query and the body of a request. @throws WrongUsage, CommandFailure */
const readInput = async (
  { query, body, isNamed, needsOption }: Form,
  { operands, options }: CommandArguments,
  config: Config,
  terminal: Terminal,
) => {
  const missing = body.find(({ member, isRequired }) => isRequired && options[optionOf(member)] === undefined)
  if (missing !== undefined) throw new WrongUsage(`a --${optionOf(missing.member)} is required`)
  const [parameters, members] = [readQuery(query, options), readBody(body, options)]
  if (isNamed) members.name = operands[0]
  if (options[PASSWORD_OPTION] === true) members[PASSWORD] = await readPassword(terminal)
  if (needsOption && Object.keys(members).length === 0) throw new WrongUsage('an option is required')
  for (const [member, kind] of Object.entries(REFERENCES)) {
    const [text, typed] = [parameters.get(member), members[member]]
    if (text !== null) parameters.set(member, await readId(config, kind, text))
    if (typeof typed === 'string') members[member] = await readId(config, kind, typed)
  }
  return { parameters, body: Object.keys(members).length > 0 && { body: members } }
}

const commandOf = (operation: Operation): Command => {
  const { method, path } = operation
  const name = nameOf(operation)
  const [kind = ''] = name.split(' ')
  const form = formOf(operation)
  const hasId = path.includes('/:')
  const fields = [...form.query, ...form.body]
  const list = hasId ? undefined : listOfAnswer(operation)
  const operands = form.isNamed ? ['NAME'] : hasId ? [kind.toUpperCase()] : []
  return {
    name,
    operands,
    options: {
      ...Object.fromEntries(fields.map((field) => [optionOf(field.member), optionFor(field)])),
      ...(form.hasPassword && { [PASSWORD_OPTION]: { type: 'boolean' } }),
      json: { type: 'boolean' },
    },
    ...helpOfOperation(operation, { name, operands, fields, columns: list?.columns }),
    run: async (args, config, terminal) => {
      const { parameters, body } = await readInput(form, args, config, terminal)
      const id = hasId ? await readId(config, kind, args.operands[0] ?? '') : ''
      const place = path.replace(/:\w+/, encodeURIComponent(id))
      const ask = (query: URLSearchParams) => {
        const asked = query.size > 0 ? `${place}?${query}` : place
        return callService(config, { method, path: asked, ...body, answer: unread })
      }
      const isJson = args.options.json === true
      if (list === undefined) return printAnswer(await ask(parameters), operation, isJson, terminal)
      const isPaged = form.query.some(({ member }) => member === 'before') && list.columns.includes('_id')
      return printList(ask, parameters, { ...list, isPaged }, isJson, terminal)
    },
  }
}

/** The commands of operations by their names, but for those that have one by hand. */
export const operationCommands = (byHand: readonly string[]): Readonly<Record<string, Command>> =>
  Object.fromEntries(
    declarations
      .filter((operation) => hasCommand(operation) && !byHand.includes(nameOf(operation)))
      .map((operation) => [nameOf(operation), commandOf(operation)]),
  )
