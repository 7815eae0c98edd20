import { useState } from 'preact/hooks'
import { meOf, usePage } from '../../page/context.ts'
import { CommandButton, useCommand } from '../../parts/commands/command.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
import { Switch } from '../../parts/field.tsx'
import { Note, RefusedNote } from '../../parts/show/note.tsx'
import { Section } from '../../parts/show/page.tsx'

/** Changes one's own password. That ends all sessions, so this browser signs in again with the new one. */
export const Password = () => {
  const page = usePage()
  const [isRevoking, setRevoking] = useState(false)
  const [isChanged, setChanged] = useState(false)
  const command = useCommand()
  const { unplaced } = command
  const { values, change, text } = useFields('account', { old_password: '', password: '' }, command.errors)
  const isMissing = values.old_password === '' || values.password === ''
  const submit = (event: Event): void => {
    event.preventDefault()
    if (command.isOff || isMissing) return
    setChanged(false)
    const body = { ...values, ...(isRevoking && { revoke_tokens: true }) }
    void command.send('/api/user/me/password', { body }, async () => {
      await page.control.signIn(meOf(page).name, values.password)
      change({ old_password: '', password: '' })
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
        {text('old_password', 'Current password', {
          ...{ type: 'password', autocomplete: 'current-password' },
          ...(isWrong && { error: 'That is not your current password.' }),
        })}
        {text('password', 'New password', {
          ...{ type: 'password', autocomplete: 'new-password', placeholder: 'At least 8 characters' },
        })}
        <CommandButton label="Change" command={command} disabled={isMissing} />
      </form>
      <Switch className="small second" label="Also revoke my tokens" isOn={isRevoking} onChange={setRevoking} />
      {!isWrong && <RefusedNote refused={unplaced} />}
      {isChanged && <Note kind="ok">Password changed. Other browsers are signed out.</Note>}
    </Section>
  )
}
