import type { VNode } from 'preact'
import type { Checked } from '../../data/objects.ts'
import { Button } from '../../parts/button.tsx'
import { Note } from '../../parts/show/note.tsx'
import { Refused } from '../../service/api.ts'
import { causeText } from '../events/causes.ts'

/** `it answers in 18 ms and accepts the password`. */
export const checkedText = ({ reachable, cause, milliseconds }: Checked, takesPassword: boolean): string => {
  if (!reachable) return `it does not answer: ${causeText(cause ?? '')}`
  const answers = `it answers in ${milliseconds} ms`
  if (cause === 'no_password') return `${answers}; without a password, signing in was not checked`
  return takesPassword ? `${answers} and accepts the password` : answers
}

interface Props {
  readonly checked: Checked | Refused
  readonly takesPassword: boolean
  readonly isBusy: boolean
  readonly onAgain: () => void
}

export const CheckNote = ({ checked, takesPassword, isBusy, onAgain }: Props): VNode => {
  const isRefused = checked instanceof Refused
  const isOk = !isRefused && checked.reachable
  return (
    <Note
      kind={isOk ? 'ok' : 'danger'}
      role="status"
      action={<Button icon="pulse" label="Check again" look="small" disabled={isBusy} onClick={onAgain} />}
    >
      {isRefused ? checked.message : `As saved, ${checkedText(checked, takesPassword)}.`}
    </Note>
  )
}
