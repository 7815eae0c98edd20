import type { Checked } from '../../data/objects.ts'
import type { Command } from '../../parts/commands/command.tsx'
import { CommandButton } from '../../parts/commands/command.tsx'
import { Note } from '../../parts/show/note.tsx'
import { causeText } from '../events/causes.ts'
import type { Known } from './machine-values.ts'

/** `it answers in 18 ms and accepts the password`. */
const checkedText = ({ reachable, cause, milliseconds }: Checked, { sut, settings }: Known): string => {
  if (!reachable) return `it does not answer: ${causeText(cause ?? '')}`
  const answers = `it answers in ${milliseconds} ms`
  if (cause === 'no_password') return `${answers}; without a password, signing in was not checked`
  return settings.has_password && sut.sut_type === 'vnc' ? `${answers} and accepts the password` : answers
}

interface Props {
  readonly known: Known
  /** Undefined where it was refused, and before. */
  readonly checked: Checked | undefined
  readonly command: Command
  readonly onAgain: () => Promise<unknown>
}

export const CheckNote = ({ known, checked, command, onAgain }: Props) => {
  if (checked === undefined && command.refused === undefined) return undefined
  const isOk = checked?.reachable === true
  return (
    <Note
      kind={isOk ? 'ok' : 'danger'}
      role="status"
      action={<CommandButton icon="pulse" label="Check again" look="small" command={command} onPress={onAgain} />}
    >
      {checked ? `As saved, ${checkedText(checked, known)}.` : command.refused?.message}
    </Note>
  )
}
