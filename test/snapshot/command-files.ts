import {sourceFiles} from '../source-files.ts'

export interface CommandFile {
  /** As they are typed: `deposit create`. */
  readonly words: string
  /** Below the project's folder. */
  readonly file: string
}

export function commandFiles(): CommandFile[] {
  return sourceFiles().flatMap(({path}) => {
    const [, name] = /^commands\/(.+)\.ts$/.exec(path) ?? []
    return name ? [{words: name.replaceAll('/', ' '), file: `src/${path}`}] : []
  })
}
