import { insertUser } from '../../src/users/user-edits.ts'
import { editUsersFile } from '../../src/users/users-file.ts'
import { aUser } from './builders.ts'

/** Adds users to a file, one edit each: `edit-in-process.ts PATH PREFIX COUNT`. */
const [path = '', prefix = '', count = '0'] = process.argv.slice(2)
for (let i = 0; i < Number(count); i++) {
  const edited = await editUsersFile(path, insertUser(await aUser(`${prefix}${i}`, 'correct horse')))
  if (edited._tag === 'Left') throw new Error(edited.left)
}
