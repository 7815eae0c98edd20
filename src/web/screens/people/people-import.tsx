import { useState } from 'preact/hooks'
import { csvOf } from '../../features/import/csv-rows.ts'
import { ImportDialog, type Kind } from '../../features/import/import-dialog.tsx'
import { formatCount } from '../../format/format.ts'
import { Button } from '../../parts/button.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { KeyValues } from '../../parts/show/key-values.tsx'
import { Note } from '../../parts/show/note.tsx'
import type { Schemas } from '../../service/api.ts'
import { toUser } from './people-list.ts'

const KIND: Kind = {
  title: 'Import people',
  path: '/api/user/import',
  member: 'users',
  columns: { required: ['name', 'role'], optional: ['quota', 'scope', 'password', '_id'], most: 100 },
  count: (many) => formatCount(many, 'person', 'people'),
  toRow: toUser,
  example: [
    'name,role,quota,scope',
    'Erin Doyle,tester,"hours_per_week=40,reservations_max=20",team=qa1',
    'Frank Ito,auditor,,',
    '',
  ].join('\r\n'),
}

/** Without a password: one that the file has, and where the answer was lost on its way. */
type Made = Schemas['NewUser']

export const PeopleImport = ({ onAdded, onClose }: { readonly onAdded: () => void; readonly onClose: () => void }) => {
  const [added, setAdded] = useState<readonly Made[] | undefined>(undefined)
  const [isKept, setKept] = useState(false)
  const take = async (answer: Readonly<Record<string, unknown>>): Promise<void> => {
    setAdded(answer.users as readonly Made[])
    onAdded()
  }
  const made = added?.filter(({ password }) => password !== undefined) ?? []
  const download = (): void => {
    const rows = [['name', 'password'], ...made.map(({ name, password = '' }) => [name, password])]
    saveFile(new Blob([csvOf(rows)], { type: 'text/csv' }), 'passwords.csv')
    setKept(true)
  }
  return (
    <ImportDialog
      kind={KIND}
      question={
        made.length > 0 && !isKept ? 'The passwords are shown only once. Close without downloading it?' : undefined
      }
      onAdded={take}
      onClose={onClose}
    >
      {made.length > 0 && (
        <Note kind="ok" icon="key" class="passwords">
          <div class="row">
            <p class="grow small">The passwords are shown only once. Give each person theirs.</p>
            <Button icon="download" label="CSV" look="small" onClick={download} />
          </div>
          <div class="scrolled" tabindex={0} role="region" aria-label="Passwords">
            <KeyValues rows={made.map(({ name, password }) => [name, password, 'mono secret'])} />
          </div>
        </Note>
      )}
      {added !== undefined && made.length === 0 && (
        <p class="second">
          There are no passwords to show: the file has them, or the response was lost. Use New password for anyone
          without one.
        </p>
      )}
    </ImportDialog>
  )
}
