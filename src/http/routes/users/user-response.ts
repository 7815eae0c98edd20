import { type UserDocument, userDocument } from '../../../domain/user/document.ts'
import type { Version } from '../../../read-models/tables/version.ts'
import type { Member } from '../../../users/user.ts'
import type { Users } from '../../../users/users.ts'
import { NO_STORE, type RouteResponse } from '../../protocol/route.ts'
import { documentResponse } from '../../response/objects.ts'

type More = Readonly<Record<string, unknown>>

const textOf = (name: string, { _id, ...others }: UserDocument, more: More = {}): string =>
  JSON.stringify({ _id, name, ...others, ...more })

/** A user as administrators, auditors and it itself see it. */
export const memberText = (member: Member, more: More = {}): string => textOf(member.name, userDocument(member), more)

/**
 * A user as of a command, with its name as of now.
 *
 * @param more members shown once, such as a password that was made
 */
export const userText = (users: Pick<Users, 'member'>, version: Version, more: More = {}): string => {
  const document = JSON.parse(version.document) as UserDocument
  return textOf(users.member(document._id)?.name ?? document._id, document, more)
}

/** The response that shows it. */
export const userResponse = (
  users: Pick<Users, 'member'>,
  version: Version,
  created: boolean,
  more: More = {},
): RouteResponse => {
  const { headers, ...response } = documentResponse('user', version, created)
  const isSecret = Object.keys(more).length > 0
  return { ...response, headers: { ...headers, ...(isSecret && NO_STORE) }, body: userText(users, version, more) }
}
