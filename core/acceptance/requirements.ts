/**
 * The requirements of NVIDIA's AI Cloud Validation that one of our checks is evidence for, by the id and the name of its
 * catalogue. Hardly any of them is met by one check alone.
 *
 * @see https://github.com/NVIDIA/ai-cloud-validation/tree/main/docs/requirements
 */
export const REQUIREMENTS = {
  BOOT01: 'Image Deployment & Updates',
  BOOT03: 'Custom Disk Images',
  CNP01: 'API/CLI Access: node lifecycle management',
  CNP04: 'Resource States',
  CNP06: 'Console Access',
  CP03: 'Control Plane accessible',
  'N-003': 'StorageClass exists',
  SEC21: 'Data Sanitization',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;
