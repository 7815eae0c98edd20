import { withoutBody } from '../../codecs/bodies.ts'
import { userImportBody } from '../../codecs/imports.ts'
import { type HistoryQuery, historyQuery, pageQuery, userQuery, usersQuery } from '../../codecs/lists.ts'
import {
  newPasswordBody,
  ownPasswordBody,
  tokenRequestBody,
  userCreationBody,
  userRemovalBody,
  userUpdateBody,
} from '../../codecs/users.ts'
import { type Call, getWithQuery, post, type Route, type RouteResult } from '../../protocol/route.ts'
import { makeUserChanges, type UserDependencies } from './user-changes.ts'
import { makeUserImport, type UserImportDependencies } from './user-import.ts'
import { makeUserReads } from './user-reads.ts'
import { makeRemove, type RemovalDependencies } from './user-removal.ts'
import { makeUserTokens, type TokenDependencies } from './user-tokens.ts'

export const makeUserHandlers = (
  dependencies: UserDependencies & UserImportDependencies & RemovalDependencies & TokenDependencies,
) => ({
  ...makeUserReads(dependencies),
  ...makeUserChanges(dependencies),
  import: makeUserImport(dependencies),
  remove: makeRemove(dependencies),
  tokens: makeUserTokens(dependencies),
})
export type UserHandlers = ReturnType<typeof makeUserHandlers>

const everyone = ['administrator', 'tester', 'auditor'] as const
const administrators = ['administrator'] as const

export const userRoutes = (
  users: UserHandlers,
  history: (call: Call<unknown, HistoryQuery>) => RouteResult,
): readonly Route[] => [
  post({ path: '/api/user/create', roles: administrators, body: userCreationBody, handle: users.create }),
  post({
    path: '/api/user/import',
    roles: administrators,
    answersRepeats: true,
    body: userImportBody,
    handle: users.import,
  }),
  post({
    path: '/api/user/:id/update',
    roles: administrators,
    isConditional: true,
    body: userUpdateBody,
    handle: users.update,
  }),
  post({
    path: '/api/user/:id/password',
    roles: administrators,
    isForPeople: true,
    body: newPasswordBody,
    handle: users.setPassword,
  }),
  post({
    path: '/api/user/me/password',
    roles: everyone,
    isForPeople: true,
    body: ownPasswordBody,
    handle: users.setOwnPassword,
  }),
  post({
    path: '/api/user/:id/logout',
    roles: administrators,
    ...withoutBody,
    handle: users.logout,
  }),
  post({ path: '/api/user/:id/remove', roles: administrators, body: userRemovalBody, handle: users.remove }),
  post({
    path: '/api/user/:id/restore',
    roles: administrators,
    ...withoutBody,
    handle: users.restore,
  }),
  post({ path: '/api/user/:id/erase', roles: administrators, ...withoutBody, handle: users.erase }),
  post({ path: '/api/user/:id/token', roles: everyone, body: tokenRequestBody, handle: users.tokens.issue }),
  getWithQuery({ path: '/api/user/:id/token', roles: everyone, query: pageQuery, handle: users.tokens.list }),
  post({
    path: '/api/user/:id/token/:token/revoke',
    roles: everyone,
    ...withoutBody,
    handle: users.tokens.revoke,
  }),
  getWithQuery({ path: '/api/user', roles: everyone, query: usersQuery, handle: users.list }),
  getWithQuery({ path: '/api/user/me', roles: everyone, query: userQuery, handle: users.me }),
  getWithQuery({ path: '/api/user/:id', roles: everyone, query: userQuery, handle: users.read }),
  getWithQuery({ path: '/api/user/:id/history', roles: everyone, query: historyQuery, handle: history }),
]
