import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, type ButtonProps } from '../../parts/button.tsx'
import { Confirm, useCommand } from '../../parts/commands/command.tsx'
import { RefusedNote, Status } from '../../parts/show/note.tsx'
import { Section } from '../../parts/show/page.tsx'
import type { Outcome } from '../../service/api.ts'

interface Props extends Pick<ButtonProps, 'look'> {
  readonly question: string
  readonly action: string
  readonly back: string
  readonly isPart?: boolean
  readonly end: () => Promise<Outcome<object>>
  readonly children?: ComponentChildren
}

/** Ends all sessions of somebody. */
export const SessionSection = ({ look, question, action, back, isPart, end, children }: Props) => {
  const command = useCommand()
  const [isAsking, setAsking] = useState(false)
  const [isDone, setDone] = useState(false)
  const ask = !isAsking && (
    <Button label="Sign out everywhere" look={look} disabled={command.isOff} onClick={() => setAsking(true)} />
  )
  return (
    <Section title="Sessions" isPart={isPart} class={isPart ? 'stack' : ''} beside={ask}>
      {isAsking && (
        <Confirm
          {...{ command, question, action, back, doing: 'Signing out…' }}
          onConfirm={() => command.run(end, () => setDone(true))}
          onClose={() => setAsking(false)}
        />
      )}
      <RefusedNote refused={command.refused} />
      <Status class="small muted said">{isDone && 'All sessions have ended.'}</Status>
      {children}
    </Section>
  )
}
