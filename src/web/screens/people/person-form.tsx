import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { PersonFields } from '../../features/people/person-fields.tsx'
import { changesOf, EMPTY, OF_QUOTA, type Values, valuesOf, wrongLimits } from '../../features/people/person-values.ts'
import type { Quota, User } from '../../features/people/user.ts'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { StaleNote, useMergeForm } from '../../parts/commands/merge-form.tsx'
import { RefusedNote } from '../../parts/show/note.tsx'
import type { Answer } from '../../service/api.ts'

interface Props {
  readonly newest: Answer<User>
  readonly applied: Quota | null
  readonly onSaved: () => void
  readonly children: ComponentChildren
}

/** Changes somebody's name, role, quota and scope. What others change shows at once, unless something is typed. */
export const PersonForm = ({ newest, applied, onSaved, children }: Props) => {
  const command = useCommand()
  const form = useMergeForm<Answer<User>, Values>({
    ...{ command, newest, first: newest, together: OF_QUOTA },
    valuesOf: (record) => (record === undefined ? EMPTY : valuesOf(record.value, applied)),
  })
  const { base = newest, saved, values, isStale, unplaced, change, load, settle } = form
  const [isSaved, setSaved] = useState(false)
  const changes = changesOf(values, saved)
  const isDirty = Object.keys(changes).length > 0
  const isReady = isDirty && !isStale && wrongLimits(values).length === 0
  const save = (event: Event): void => {
    event.preventDefault()
    if (!isReady || command.isOff) return
    const path = `/api/user/${encodeURIComponent(base.value._id)}/update` as const
    void command.send(path, { body: changes, ifMatch: base.etag }, (answer) => {
      settle(answer)
      setSaved(true)
      onSaved()
    })
  }
  return (
    <form class="stack fields" onSubmit={save} novalidate>
      {isStale && <StaleNote onLoad={load}>This person has changed meanwhile.</StaleNote>}
      <RefusedNote refused={unplaced} />
      <PersonFields
        id="person"
        values={values}
        base={saved}
        errors={command.errors}
        onChange={(next: Values) => {
          change(next)
          setSaved(false)
        }}
      />
      <div class="row wrap">
        <CommandButton label="Save" look="primary" command={command} disabled={!isReady} />
        {children}
        <span role="status" class="small ok">
          {isSaved && !isDirty && 'Saved'}
        </span>
      </div>
    </form>
  )
}
