import { useState } from 'preact/hooks'
import { meOf, usePage } from '../../page/context.ts'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { Switch, TextField } from '../../parts/field.tsx'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import { Section } from '../../parts/show/page.tsx'

/** Changes one's own password. That ends all sessions, so this browser signs in again with the new one. */
export const Password = () => {
  const page = usePage()
  const [old, setOld] = useState('')
  const [next, setNext] = useState('')
  const [isRevoking, setRevoking] = useState(false)
  const [isChanged, setChanged] = useState(false)
  const command = useCommand()
  const { errors, unplaced } = command
  const submit = (event: Event): void => {
    event.preventDefault()
    if (command.isOff || old === '' || next === '') return
    setChanged(false)
    const body = { old_password: old, password: next, ...(isRevoking && { revoke_tokens: true }) }
    void command.send('/api/user/me/password', { body }, async () => {
      await page.control.signIn(meOf(page).name, next)
      setOld('')
      setNext('')
      setChanged(true)
    })
  }
  const isWrong = unplaced?.problem.code === 'wrong_password'
  return (
    <Section title="Password">
      <form class="password-form" onSubmit={submit}>
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: it only tells password managers whose password it is. */}
        <input
          class="vh"
          name="username"
          autocomplete="username"
          value={meOf(page).name}
          readonly
          tabindex={-1}
          aria-hidden="true"
        />
        <TextField
          id="old-password"
          label="Current password"
          type="password"
          autocomplete="current-password"
          value={old}
          onInput={setOld}
          error={isWrong ? 'That is not your current password.' : errors.get('old_password')}
        />
        <TextField
          id="new-password"
          label="New password"
          type="password"
          autocomplete="new-password"
          placeholder="At least 8 characters"
          value={next}
          onInput={setNext}
          error={errors.get('password')}
        />
        <CommandButton label="Change" command={command} disabled={old === '' || next === ''} />
      </form>
      <Switch className="small second" label="Also revoke my tokens" isOn={isRevoking} onChange={setRevoking} />
      {!isWrong && <RefusedNote refused={unplaced} />}
      {isChanged && <Note kind="ok">Password changed. Other browsers are signed out.</Note>}
    </Section>
  )
}
