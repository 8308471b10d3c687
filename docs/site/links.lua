-- Links to other documents become links to their pages, and links to files of the sources plain text:
-- the site has no sources. Tables can be wider than the page.
local pages = {}
for page in (os.getenv('SITE_PAGES') or ''):gmatch('%S+') do
  pages[page] = true
end
local folder = os.getenv('SITE_FOLDER') or ''

function Link(link)
  if link.target:match('^%a+:') or link.target:match('^#') then
    return link
  end
  local path, anchor = link.target:match('^([^#]*)(#?.*)$')
  path = (folder .. path):gsub('[^/]+/%.%./', ''):gsub('^%./', '')
  local name = path:gsub('^docs/', ''):gsub('%.md$', '')
  if path:match('%.md$') and pages[name] then
    link.target = (name == 'README' and 'index' or name) .. '.html' .. anchor
    return link
  end
  local manual = path:match('^docs/man/(.*%.1)$')
  if manual then
    link.target = 'man/' .. manual .. '.html'
    return link
  end
  return link.content
end

function Table(tab)
  return pandoc.Div({tab}, pandoc.Attr('', {'table'}))
end
