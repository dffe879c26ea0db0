package config

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// awsVariables say that there are credentials of AWS, which its wire finds by itself.
var awsVariables = []string{
	"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_BEDROCK_SKIP_AUTH",
}

// ambient returns where the machine has a credential for a provider that has no key, or
// nothing.
func ambient(provider string) string {
	if provider == "google-vertex" {
		return googleCredentials()
	}
	return ambientOf(provider, func(name string) bool {
		_, ok := getenv(name)
		return ok
	})
}

// ambientOf returns the variable, of those that there are, which says that the wire has a
// credential.
func ambientOf(provider string, is func(name string) bool) string {
	if i := slices.IndexFunc(awsVariables, is); provider == "amazon-bedrock" && i >= 0 {
		return awsVariables[i]
	}
	return ""
}

// googleCredentials returns where Google's application default credentials are. Without a
// project they are of no use: then they are for something else.
func googleCredentials() string {
	if _, ok := getenv("GOOGLE_CLOUD_PROJECT"); !ok {
		if _, ok := getenv("GCLOUD_PROJECT"); !ok {
			return ""
		}
	}
	if _, ok := getenv("GOOGLE_APPLICATION_CREDENTIALS"); ok {
		return "GOOGLE_APPLICATION_CREDENTIALS"
	}
	dir := filepath.Join(os.Getenv("APPDATA"), "gcloud")
	if runtime.GOOS != "windows" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".config", "gcloud")
	}
	file := filepath.Join(dir, "application_default_credentials.json") // where gcloud puts it
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}
