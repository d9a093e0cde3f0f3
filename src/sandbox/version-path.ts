/** The version prefix of both `{base_url}` and `{apply_url}` (service §9). */
export const versionPath = '/v1'
