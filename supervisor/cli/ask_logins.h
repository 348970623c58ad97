// SPDX-License-Identifier: Apache-2.0
// Asking for what a config wants to know of a person.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/wipe.h"
#include "supervisor/cli/context.h"
#include "supervisor/plan/plan.h"
#include "supervisor/render/render.h"

namespace cli {

// What was given for one FileNeed that is a login, as the text of its file. Wiped with the value.
struct GivenLogin {
  std::string login, path, text;
  ~GivenLogin() { base::wipe(text); }
};
using GivenLogins = std::vector<GivenLogin>;

// The answers to all of `asks`, in that order: on a terminal one by one, passwords unseen; else a
// line each from the file `source`, or from standard input where `source` is "-" or not given. So
// for a user name and a password the file is that of OpenVPN's auth-user-pass. An optional one may
// be left empty. The Problem names what is missing.
base::Result<GivenLogins> ask_logins(Context& context, const std::string& site,
                                     const std::vector<render::FileNeed>& asks,
                                     const std::optional<std::string>& source);

// Hands a person's answer to the engine that waits for one: one line from the same places. Nothing
// where no engine of that site asks for an answer; else the exit status.
std::optional<int> answer_engine(Context& context, const std::string& site,
                                 const std::optional<std::string>& source);
// Whether it waits for a user name and password that are not refused.
bool engine_wants_login(Context& context, const std::string& site);

// Folders and files to be made of them.
void add_logins(Context& context, const GivenLogins& logins, plan::Desired& desired);

}  // namespace cli
