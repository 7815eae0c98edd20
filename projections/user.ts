import { evolveUser, type UserDocument, userDocument } from '../src/domain/user/state.ts'
import { failMissing, idOfChanged, type Projection } from './projection.ts'

/** What documents do not tell, and no later document depends on. */
const UNTOLD = { status: 'present', removal: null, secrets: {}, accessSince: 0, revision: 0 } as const

export const userProjection: Projection<UserDocument> = {
  name: 'user',
  version: 2,
  key: idOfChanged('user'),
  begins: (event) => event.type === 'UserAdded',
  evolve: (row, event) => {
    const after = evolveUser(row && { ...row.document, ...UNTOLD }, event)
    return { document: userDocument(after ?? failMissing('user', event)), internal: {} }
  },
}
