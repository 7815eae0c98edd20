import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Quota, User } from '../../features/people/user.ts'
import { useSending } from '../../page/sending.ts'
import { Button } from '../../parts/button.tsx'
import { errorsByField } from '../../parts/field.tsx'
import { useFocusReturn } from '../../parts/focus.ts'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import type { Answer } from '../../service/api.ts'
import { PersonFields } from './fields.tsx'
import { changesOf, rebase, revisionOf, valuesOf, wrongLimits } from './form.ts'

interface Props {
  readonly newest: Answer<User>
  readonly applied: Quota | null
  readonly isAnswered: boolean
  readonly onSaved: () => void
  readonly children: ComponentChildren
}

const Stale = ({ onLoad }: { readonly onLoad: () => void }): VNode => {
  const note = useRef<HTMLDivElement>(null)
  useFocusReturn(note, 'Save')
  return (
    <Note kind="warn" ref={note} action={<Button label="Load the new values" look="small" onClick={onLoad} />}>
      This person has changed meanwhile. Your edits are kept.
    </Note>
  )
}

/** Changes somebody's name, role, quota and scope. What others change shows at once, unless something is typed. */
export const PersonForm = ({ newest, applied, isAnswered, onSaved, children }: Props): VNode => {
  const { send, refused, isBusy, forgive } = useSending()
  const [base, setBase] = useState(newest)
  const saved = valuesOf(base.value, applied)
  // Only what differs from what is saved is kept, so that the rest follows.
  const [typed, setTyped] = useState<typeof saved | undefined>(undefined)
  const [isSaved, setSaved] = useState(false)
  const values = typed ?? saved
  const changes = changesOf(values, saved)
  const isDirty = Object.keys(changes).length > 0
  const isNewer = revisionOf(newest.etag) > revisionOf(base.etag)
  useEffect(() => {
    if (!isNewer || isDirty) return
    setBase(newest)
    setTyped(undefined)
  }, [isNewer, isDirty])
  const load = (): void => {
    setTyped(rebase(values, saved, valuesOf(newest.value, applied)))
    setBase(newest)
    forgive()
  }
  const isOff = isBusy || !isAnswered || !isDirty || isNewer || wrongLimits(values).length > 0
  const save = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (isOff) return
    const answer = await send(`/api/user/${encodeURIComponent(base.value._id)}/update`, changes, base.etag)
    if (answer === undefined) return
    setBase(answer)
    setTyped(undefined)
    setSaved(true)
    onSaved()
  }
  const errors = errorsByField(refused)
  const isShown = refused !== undefined && errors.size === 0 && !(isNewer && refused.problem.code === 'stale')
  return (
    <form class="stack fields" onSubmit={save} novalidate>
      {isNewer && isDirty && <Stale onLoad={load} />}
      {isShown && <RefusedNote refused={refused} />}
      <PersonFields
        id="person"
        values={values}
        base={saved}
        errors={errors}
        onChange={(next: typeof saved) => {
          setTyped(next)
          setSaved(false)
        }}
      />
      <div class="row wrap">
        <Button label="Save" look="primary" type="submit" disabled={isOff} />
        {children}
        <span role="status" class="small ok">
          {isSaved && !isDirty && 'Saved'}
        </span>
      </div>
    </form>
  )
}
