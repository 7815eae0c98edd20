import { noBody } from '../../codecs/bodies.ts'
import { type HistoryQuery, historyQuery } from '../../codecs/history.ts'
import { userImportBody } from '../../codecs/imports.ts'
import { pageQuery, userQuery, usersQuery } from '../../codecs/lists.ts'
import {
  newPasswordBody,
  ownPasswordBody,
  tokenRequestBody,
  userCreationBody,
  userRemovalBody,
  userUpdateBody,
} from '../../codecs/users.ts'
import { type Call, getWithQuery, post, type Route, type RouteResult } from '../../protocol/route.ts'
import type { UserChanges } from './user-changes.ts'
import type { makeUserImport } from './user-import.ts'
import type { UserReads } from './user-reads.ts'
import type { makeRemove } from './user-removal.ts'
import type { UserTokens } from './user-tokens.ts'

export type UserHandlers = UserReads &
  UserChanges & {
    readonly import: ReturnType<typeof makeUserImport>
    readonly remove: ReturnType<typeof makeRemove>
    readonly tokens: UserTokens
  }

const everyone = ['administrator', 'tester', 'auditor'] as const
const administrators = ['administrator'] as const

export const userRoutes = (
  users: UserHandlers,
  history: (call: Call<unknown, HistoryQuery>) => RouteResult,
): readonly Route[] => [
  post({ path: '/api/user/create', may: administrators, body: userCreationBody, handle: users.create }),
  post({
    path: '/api/user/import',
    may: administrators,
    answersRepeats: true,
    body: userImportBody,
    handle: users.import,
  }),
  post({
    path: '/api/user/:id/update',
    may: administrators,
    isConditional: true,
    body: userUpdateBody,
    handle: users.update,
  }),
  post({
    path: '/api/user/:id/password',
    may: administrators,
    isForPeople: true,
    body: newPasswordBody,
    handle: users.setPassword,
  }),
  post({
    path: '/api/user/me/password',
    may: everyone,
    isForPeople: true,
    body: ownPasswordBody,
    handle: users.setOwnPassword,
  }),
  post({
    path: '/api/user/:id/logout',
    may: administrators,
    body: noBody,
    isBodyOptional: true,
    handle: users.logout,
  }),
  post({ path: '/api/user/:id/remove', may: administrators, body: userRemovalBody, handle: users.remove }),
  post({
    path: '/api/user/:id/restore',
    may: administrators,
    body: noBody,
    isBodyOptional: true,
    handle: users.restore,
  }),
  post({ path: '/api/user/:id/erase', may: administrators, body: noBody, isBodyOptional: true, handle: users.erase }),
  post({ path: '/api/user/:id/token', may: everyone, body: tokenRequestBody, handle: users.tokens.issue }),
  getWithQuery({ path: '/api/user/:id/token', may: everyone, query: pageQuery, handle: users.tokens.list }),
  post({
    path: '/api/user/:id/token/:token/revoke',
    may: everyone,
    body: noBody,
    isBodyOptional: true,
    handle: users.tokens.revoke,
  }),
  getWithQuery({ path: '/api/user', may: everyone, query: usersQuery, handle: users.list }),
  getWithQuery({ path: '/api/user/me', may: everyone, query: userQuery, handle: users.me }),
  getWithQuery({ path: '/api/user/:id', may: everyone, query: userQuery, handle: users.read }),
  getWithQuery({ path: '/api/user/:id/history', may: everyone, query: historyQuery, handle: history }),
]
