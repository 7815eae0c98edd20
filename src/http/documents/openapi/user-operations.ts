import type { Code } from '../../protocol/problem.ts'
import { refTo } from './answer-schemas.ts'
import type { Operations } from './operation.ts'

/** Answered with the user. */
const USER = { answer: refTo('User'), isTagged: true } as const
const OF_USER: readonly Code[] = ['user_not_found', 'user_removed']

export const userOperations: Operations = {
  'POST /api/user/create': {
    id: 'createUser',
    summary: 'Create a user',
    description:
      'Without a password one is made and shown in this answer only. Names are unique in any case, among users that have not been removed. With _id, the user gets an id from elsewhere. Testers may have a quota and a scope.',
    answer: refTo('NewUser'),
    isCreation: true,
    isTagged: true,
    refusals: ['user_name_taken', 'user_id_taken'],
  },
  'POST /api/user/import': {
    id: 'importUsers',
    summary: 'Create up to 100 users, all or none',
    description:
      'All rows are checked first. Without a password one is made and shown in the first answer only, not to a retry. With dry_run the answer has only the number of users, and nobody is created.',
    answer: refTo('ImportedUsers'),
    refusals: ['user_name_taken', 'user_id_taken'],
  },
  'POST /api/user/:id/update': {
    id: 'updateUser',
    summary: 'Change the name, the role, the quota or the scope of a user',
    description:
      'Omitted fields keep their values, as omitted limits of a quota do. Only testers have a quota and a scope. Streams and connections that the new role does not allow end.',
    ...USER,
    refusals: [...OF_USER, 'user_name_taken', 'last_administrator'],
  },
  'POST /api/user/:id/password': {
    id: 'setPassword',
    summary: 'Set the password of a user',
    description: 'The old one stops working at once, and the event streams of the user end.',
    ...USER,
    refusals: OF_USER,
  },
  'POST /api/user/me/password': {
    id: 'setOwnPassword',
    summary: 'Change your own password',
    description: 'Wrong old passwords are throttled like failed logins.',
    ...USER,
    refusals: [...OF_USER, 'wrong_password'],
  },
  'POST /api/user/:id/logout': {
    id: 'logOutUser',
    summary: 'End all sessions of a user',
    description: 'What was opened with them ends too. The password and tokens stay good.',
    ...USER,
    refusals: OF_USER,
  },
  'POST /api/user/:id/remove': {
    id: 'removeUser',
    summary: 'Remove a user',
    description:
      'Reservations that are not over stay with "keep"; with "cancel" running ones are released and later ones cancelled, and the answer says how many. The user keeps its name in histories until it is erased.',
    answer: refTo('UserRemoval'),
    refusals: ['user_not_found', 'last_administrator'],
  },
  'POST /api/user/:id/restore': {
    id: 'restoreUser',
    summary: 'Restore a removed user',
    description: 'The previous password works again. Cancelled reservations stay cancelled.',
    ...USER,
    refusals: ['user_not_found', 'user_name_taken', 'user_not_removed', 'user_erased'],
  },
  'POST /api/user/:id/erase': {
    id: 'eraseUser',
    summary: 'Erase a removed user',
    description:
      'Deletes the name and the password, which no later backup brings back. Events and histories then show the id. This cannot be undone.',
    ...USER,
    refusals: ['user_not_found', 'user_not_removed'],
  },
  'GET /api/user': {
    id: 'listUsers',
    summary: 'List users, newest first',
    description:
      'Administrators and auditors see all of each user; testers see all of themselves, and of others the id and the name.',
    answer: refTo('UserList'),
    refusals: ['store_full'],
  },
  'GET /api/user/me': {
    id: 'readMe',
    summary: 'Read the authenticated user',
    ...USER,
    refusals: ['store_full'],
  },
  'GET /api/user/:id': {
    id: 'readUser',
    summary: 'Read a user',
    answer: { anyOf: [refTo('User'), refTo('UserName')] },
    isTagged: true,
    refusals: ['user_not_found', 'store_full'],
  },
}

const OF_TOKENS: readonly Code[] = ['forbidden', 'user_not_found', 'user_removed']
const OF_WHOM = { id: 'The _id of the user, or `me`. Only administrators may give that of others.' }

/** Operations on tokens of oneself, or as an administrator of others. */
export const tokenOperations: Operations = {
  'POST /api/user/:id/token': {
    id: 'issueToken',
    summary: 'Issue a token',
    description:
      'The token is shown in this answer only. It takes the place of a password, with the role given or else that of the user. It must be a role that the request has itself: administrators may give any that the user may have.',
    answer: refTo('NewToken'),
    isCreation: true,
    refusals: [...OF_TOKENS, 'too_many_tokens'],
    notes: OF_WHOM,
  },
  'GET /api/user/:id/token': {
    id: 'listTokens',
    summary: 'List the tokens of a user, newest first',
    description: 'Those that have expired or were revoked are left out.',
    answer: refTo('TokenList'),
    refusals: OF_TOKENS,
    notes: OF_WHOM,
  },
  'POST /api/user/:id/token/:token/revoke': {
    id: 'revokeToken',
    summary: 'Revoke a token',
    description: 'It stops working at once, and event streams and consoles opened with it end.',
    answer: refTo('Token'),
    refusals: [...OF_TOKENS, 'token_not_found'],
    notes: OF_WHOM,
  },
}

/** Operations on sessions that begin with a login. */
export const loginOperations: Operations = {
  'POST /api/login': {
    id: 'login',
    summary: 'Sign in with a name and a password',
    description:
      'Begins a session for twelve hours, which `POST /api/login/renew` extends, until seven days after the login at most. Send `session` as a Bearer token. An Idempotency-Key is ignored.',
    answer: refTo('LoginSession'),
    refusals: ['unauthenticated', 'too_many_attempts'],
  },
  'POST /api/login/oidc/start': {
    id: 'startSingleSignOn',
    summary: 'Begin a single sign-on',
    description:
      'Keep `transaction`, which is valid for ten minutes, and go to `url`. The provider sends the browser back to `/login/callback`, with what `POST /api/login/oidc/finish` needs.',
    answer: refTo('SignOnStart'),
    refusals: ['oidc_not_configured', 'provider_unavailable'],
  },
  'POST /api/login/oidc/finish': {
    id: 'finishSingleSignOn',
    summary: 'End a single sign-on',
    description:
      'Begins a session for twelve hours, which cannot be extended. The first sign-in adds a user, and each one sets its role. A transaction and a code can be used once.',
    answer: refTo('LoginSession'),
    refusals: [
      'oidc_not_configured',
      'sign_in_failed',
      'no_role',
      'user_removed',
      'too_many_attempts',
      'provider_unavailable',
    ],
  },
  'POST /api/login/renew': {
    id: 'renewSession',
    summary: 'Extend your session',
    description:
      'The session keeps its id, and its previous token stays valid until it expires. A session that cannot be extended is returned with the time at which it expires.',
    answer: refTo('LoginSession'),
  },
  'POST /api/logout': {
    id: 'logout',
    summary: 'End your session, or all of your sessions',
    description:
      'What was opened with a session ends with it. Without a session, a user with a password may still end all of its sessions. Tokens stay.',
    answer: refTo('Logout'),
  },
}
