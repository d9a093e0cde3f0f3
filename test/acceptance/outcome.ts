import {expect} from 'vitest'
import type {Outcome} from './own-home.ts'

export interface ErrorDocument {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly hint: string
    readonly exitCode: number
    readonly serviceCode?: string
  }
}

/** Says everything about a run whose status is not the expected one: the status alone explains nothing. */
export function expectStatus(outcome: Outcome, ...allowed: readonly number[]): void {
  const {command, status, stdout, stderr} = outcome
  const story = `${command}\nended with ${status}\n--- stdout\n${stdout}\n--- stderr\n${stderr}`
  expect(allowed, story).toContain(status)
}

/**
 * The one JSON document of a `--json` run. Progress, prompts and colour have no place on stdout, and without a
 * terminal there is no colour on stderr either.
 */
export function readDocument<Document>(outcome: Outcome): Document {
  expect(`${outcome.stdout}${outcome.stderr}`, `${outcome.command} printed terminal codes`).not.toContain(
    '\u001b',
  )
  try {
    return JSON.parse(outcome.stdout)
  } catch {
    throw new Error(
      `stdout of ${outcome.command} (status ${outcome.status}) is not one JSON document:\n${outcome.stdout}\n--- stderr\n${outcome.stderr}`,
    )
  }
}

/** A failure under `--json` (contract §2.3), with the status that the process ended with. */
export function readError(outcome: Outcome): ErrorDocument['error'] {
  const document = readDocument<ErrorDocument>(outcome)
  expect(document, outcome.stdout).toEqual({
    error: expect.objectContaining({
      code: expect.stringMatching(/./),
      message: expect.stringMatching(/./),
      hint: expect.stringMatching(/./),
      exitCode: outcome.status,
    }),
  })
  return document.error
}
