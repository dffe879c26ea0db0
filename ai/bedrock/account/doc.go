// Package account finds the region and the credentials of an AWS account where AWS's own programs
// find them: in the environment, in the shared config and credentials files, from a program, a
// single sign-on, a role, a container or a machine. It stands in for aws-sdk-go-v2/config, which
// links the clients of four services and initialises them in every run.
//
// The order is that of AWS's SDKs ("Standardized credential providers" in the AWS SDKs and Tools
// Reference Guide, which all names of variables, keys and addresses here are from):
//
//  1. a profile or keys that the caller names;
//  2. AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY;
//  3. AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN;
//  4. the profile of AWS_PROFILE or the default one: its source_profile or credential_source, keys,
//     web_identity_token_file, single sign-on, credential_process; then its role_arn;
//  5. the endpoint of a container;
//  6. the metadata service of the machine (IMDSv2).
//
// Addresses of services follow AWS_ENDPOINT_URL_STS, AWS_ENDPOINT_URL_SSO, AWS_ENDPOINT_URL_SSO_OIDC,
// AWS_ENDPOINT_URL and AWS_EC2_METADATA_SERVICE_ENDPOINT. Roles that ask for a one-time password
// (mfa_serial) and sessions of "aws login" are refused with what to set instead.
package account
